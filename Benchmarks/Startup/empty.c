/*
 * The measure of start-up: what a C program costs that does nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
int main(void) { return 0; }
