/*
 * The baseline for start-up time: a C program that does nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
int main(void) { return 0; }
