// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/**
 * Where a text is in a space.
 *
 * @param offset in bytes
 * @param length in bytes
 */
public record Place(int offset, int length) {}
