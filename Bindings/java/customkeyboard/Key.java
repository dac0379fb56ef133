// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/**
 * A key of the page that is shown.
 *
 * @param row counted from 1
 * @param column counted from 1
 * @param rowSpan how many rows it is high
 * @param columnSpan how many columns it is wide
 * @param x the left edge in points, from the view's upper left corner
 * @param y the upper edge in points
 * @param width in points
 * @param height in points
 * @param role what it does
 * @param label what is drawn on it
 */
public record Key(int row, int column, int rowSpan, int columnSpan, double x, double y, double width, double height,
    Role role, String label) {
  /** {@return place and role, and no label: a log of labels and touches is the password} */
  @Override
  public String toString() {
    return "Key[row=" + row + ", column=" + column + ", role=" + role + "]";
  }
}
