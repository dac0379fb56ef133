"""Writes Sources/KeyboardText/HiddenCharacters.swift from Unicode's own files, those of Debian's package unicode-data:

    hidden.py [/usr/share/unicode]

KeyboardTextTests compare the table with another source, the properties that Swift's library has of each character.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import sys

FOLDER = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode"
SWIFT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Sources/KeyboardText/HiddenCharacters.swift")

# Blank, though Unicode takes them for symbols and marks.
BLANK = {0x2800: "BRAILLE PATTERN BLANK", 0x1D159: "MUSICAL SYMBOL NULL NOTEHEAD",
         0x16FE4: "KHITAN SMALL SCRIPT FILLER"}
# Scripts need them: the two that join letters or keep them apart, and those that choose a form of the one before.
NEEDED = {0x200C, 0x200D, *range(0x180B, 0x180E), 0x180F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def with_property(text, name):
    found = set()
    for first, last in re.findall(rf"^([0-9A-F]+)(?:\.\.([0-9A-F]+))? *; {name}\b", text, re.M):
        found |= set(range(int(first, 16), int(last or first, 16) + 1))
    return found


derived = read("DerivedCoreProperties.txt")
version = re.match(r"# DerivedCoreProperties-(\d+\.\d+)", derived)[1]
rows = [row.split(";") for row in read("UnicodeData.txt").splitlines()]
assert {row[1] for row in rows if int(row[0], 16) in BLANK} == set(BLANK.values())
categories = {int(row[0], 16) for row in rows if row[2] in ("Cc", "Cf", "Zl", "Zp")}
hidden = categories | with_property(derived, "Default_Ignorable_Code_Point") | set(BLANK)
hidden |= with_property(read("PropList.txt"), "Noncharacter_Code_Point")
ranges = []
for number in sorted(hidden - NEEDED):
    if ranges and ranges[-1][1] == number - 1:
        ranges[-1][1] = number
    else:
        ranges.append([number, number])
words = [f"0x{first:x}" + (f"...0x{last:x}" if last > first else "") for first, last in ranges]
lines = [""]
for word in words:
    if len(lines[-1]) + len(word) > 104:
        lines.append("")
    lines[-1] += word + ", "
body = "\n".join(("    case " if i == 0 else "      ") + line.rstrip() for i, line in enumerate(lines)).rstrip(",")

with open(SWIFT, "w", encoding="utf-8") as file:
    file.write(f"""// The characters that nobody sees. Tests/Rules/hidden.py writes this file; do not change it by hand.
// SPDX-License-Identifier: Apache-2.0

/// Characters with which a text can look like another one: controls, format characters (marks of direction among them),
/// separators of lines and paragraphs, what is ignored where it cannot be shown, noncharacters, and three that are
/// blank. Those that scripts need are not among them: the joiners U+200C and U+200D, and variation selectors.
///
/// - Source: Unicode {version}: Default_Ignorable_Code_Point; Noncharacter_Code_Point; categories Cc, Cf, Zl and Zp.
package enum HiddenCharacters {{
  package static func contains(_ character: UInt32) -> Bool {{
    switch character {{
{body}:
      true
    default: false
    }}
  }}
}}
""")
print(f"hidden: {len(hidden - NEEDED)} characters of Unicode {version} in {len(ranges)} ranges")
