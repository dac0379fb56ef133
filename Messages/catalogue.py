#!/usr/bin/env python3
"""The sentences for people, in each language: Messages/*.json, and the tables made from them: Swift, JavaScript and C.

    Messages/catalogue.py --update   writes those tables
    Messages/catalogue.py --check    fails if one of these differs, or a language lacks a rule or a code of the header

The keys are the names in Include/custom_keyboard.h without CUSTOM_KEYBOARD_ and CUSTOM_KEYBOARD_RULE_. English is what
the library says: a Swift test compares the two. The C library knows English only, because sentences cost size.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import sys
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..")
LANGUAGES = {"en": "english", "de": "german", "ja": "japanese", "ko": "korean", "zh": "chinese"}
WIDTH = 116


def columns(text):
    """How wide a text is: a Chinese, Japanese or Korean character takes two columns."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def pieces(text, width):
    """Parts of at most a width, cut after a space or a Chinese or Japanese full stop where there is one."""
    parts = [""]
    for word in re.findall(r"[^ 、。，；：]*[ 、。，；：]?", text):
        if parts[-1] and columns(parts[-1] + word) > width:
            parts.append("")
        parts[-1] += word
    return [part for part in parts if part]


def enumerators(header, enum, prefix):
    body = re.search(r"typedef enum %s \{(.*?)\}" % enum, header, re.S)[1]
    found = re.findall(r"%s(\w+) = (\d+)" % prefix, body)
    assert [int(value) for _, value in found] == list(range(len(found))), enum
    return [name for name, _ in found]


def keys():
    with open(os.path.join(ROOT, "Include", "custom_keyboard.h"), encoding="utf-8") as file:
        header = file.read()
    return {"rules": enumerators(header, "CUSTOM_KEYBOARD_RULE", "CUSTOM_KEYBOARD_RULE_"),
            "codes": enumerators(header, "CUSTOM_KEYBOARD_RV", "CUSTOM_KEYBOARD_")}


def faults(language, catalogue, wanted):
    """What is wrong with one language's file."""
    for kind, names in wanted.items():
        have = catalogue.get(kind, {})
        yield from ("%s.json has no %s.%s" % (language, kind, name) for name in names if name not in have)
        yield from ("%s.json has %s.%s, which the header has not" % (language, kind, name)
                    for name in have if name not in names)
        for name, text in have.items():
            if text != unicodedata.normalize("NFC", text).strip() or not re.search(r"[.。]$", text) or "\n" in text:
                yield "%s.json: %s.%s is not a sentence on one line" % (language, kind, name)
    yield from ("%s.json has %s" % (language, kind) for kind in catalogue if kind not in wanted)


def read():
    """Every language's sentences, in the header's order."""
    wanted, found, catalogues = keys(), [], {}
    for language in LANGUAGES:
        with open(os.path.join(HERE, language + ".json"), encoding="utf-8") as file:
            catalogues[language] = json.load(file)
        found += faults(language, catalogues[language], wanted)
    others = sorted(name for name in os.listdir(HERE) if name.endswith(".json") and name[:-5] not in LANGUAGES)
    found += ["%s is not a language that catalogue.py knows" % name for name in others]
    for language in list(LANGUAGES)[1:]:
        found += ["%s.json: %s.%s is in English" % (language, kind, name) for kind in wanted for name in wanted[kind]
                  if catalogues[language].get(kind, {}).get(name) == catalogues["en"].get(kind, {}).get(name)]
    if found:
        sys.exit("catalogue.py: " + "\ncatalogue.py: ".join(found))
    return {language: {kind: {name: catalogue[kind][name] for name in wanted[kind]} for kind in wanted}
            for language, catalogue in catalogues.items()}


SWIFT = """// The sentences in each language, as data. Messages/catalogue.py makes this file from Messages/*.json.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  extension MessageLanguage {
    /// One sentence a line: those of the rules by their numbers, then those of the codes.
    var sentences: String {
      switch self {
%s
      }
    }
  }
#endif
"""


def swift(catalogues):
    out = []
    for language, name in LANGUAGES.items():
        out += ["      case .%s:" % name, '        """']
        for kind in ("rules", "codes"):
            for text in catalogues[language][kind].values():
                out.append("\\\n".join("        " + part for part in pieces(text, WIDTH - 8)))
        out.append('        """')
    return SWIFT % "\n".join(out)


def literals(text, margin, join):
    """A string in one or more literals, as JavaScript and C have them."""
    parts = pieces(text, WIDTH - len(margin) - 20)
    return (join + "\n" + margin).join('"' + part + '"' for part in parts)


JAVASCRIPT = """\
// The sentences for people, in each language. Messages/catalogue.py makes this file from Messages/*.json.
//
//     import { sentence } from './messages.js';
//     sentence('rules', 'COMMON')            in the person's language, or in English
//     sentence('codes', error.code, ['ko'])  in the first of these languages that there is
//
// SPDX-License-Identifier: Apache-2.0

export const messages = {
%s
};

/** The language of ours that a tag such as ko-KR means, or undefined. Chinese is in simplified characters. */
export function languageOf(tag) {
  const [language, ...rest] = String(tag).toLowerCase().split(/[-_.@]/);
  const isTraditional = !rest.includes('hans') && rest.some((part) => ['hant', 'tw', 'hk', 'mo'].includes(part));
  return Object.hasOwn(messages, language) && !(language === 'zh' && isTraditional) ? language : undefined;
}

/** A rule's or a code's sentence in the first language that there is; undefined for an unknown key. */
export function sentence(kind, key, languages = globalThis.navigator?.languages ?? []) {
  const language = languages.map(languageOf).find(Boolean) ?? 'en';
  return Object.hasOwn(messages[language][kind], key) ? messages[language][kind][key] : undefined;
}
"""


def javascript(catalogues):
    out = []
    for language in LANGUAGES:
        out.append("  %s: {" % language)
        for kind in ("rules", "codes"):
            out.append("    %s: {" % kind)
            out += ["      %s: %s," % (name, literals(text, "        ", " +"))
                    for name, text in catalogues[language][kind].items()]
            out.append("    },")
        out.append("  },")
    return JAVASCRIPT % "\n".join(out)


C = """/*
 * The sentences for people, in each language. Not a part of the library, which has them in English only.
 *
 *     label(CustomKeyboardMessages_ofRule(setlocale(LC_MESSAGES, NULL), rule));
 *
 * Messages/catalogue.py makes this file from the languages' files beside it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_MESSAGES_H
#define CUSTOM_KEYBOARD_MESSAGES_H

#include <custom_keyboard.h>
#include <string.h>

%s

/* The place in the tables of a language such as "ko", "ko-KR" or "ko_KR.UTF-8"; -1 if it is not there. Chinese is in
   simplified characters. */
static inline int CustomKeyboardMessages_language(const char *language) {
  static const char names[][3] = {%s};
  static const char *const traditional[] = {"Hant", "TW", "HK", "MO"};
  size_t i;
  int found = -1;
  if (!language) return -1;
  for (i = 0; i < sizeof names / sizeof names[0]; i++)
    if (!strncmp(language, names[i], 2) && (!language[2] || strchr("-_.@", language[2]))) found = (int)i;
  if (found >= 0 && !strcmp(names[found], "zh") && !strstr(language, "Hans"))
    for (i = 0; i < sizeof traditional / sizeof traditional[0]; i++)
      if (strstr(language, traditional[i])) return -1;
  return found;
}

/* What to tell a person whose passcode the rule refuses; in English for a language that is not there. */
static inline const char *CustomKeyboardMessages_ofRule(const char *language, CUSTOM_KEYBOARD_RULE rule) {
  int place = CustomKeyboardMessages_language(language);
  if (place < 0 || (unsigned)rule >= %d) return CustomKeyboard_ruleMessage(rule);
  return CustomKeyboardMessages_rules[place][rule];
}

/* What to do about a code; in English for a language that is not there. */
static inline const char *CustomKeyboardMessages_ofCode(const char *language, CUSTOM_KEYBOARD_RV code) {
  int place = CustomKeyboardMessages_language(language);
  if (place < 0 || (unsigned)code >= %d) return CustomKeyboard_message(code);
  return CustomKeyboardMessages_codes[place][code];
}

#endif
"""


def c(catalogues):
    out, others = [], [language for language in LANGUAGES if language != "en"]
    counts = [len(catalogues["en"][kind]) for kind in ("rules", "codes")]
    for kind, count in zip(("rules", "codes"), counts):
        out.append("static const char *const CustomKeyboardMessages_%s[%d][%d] = {" % (kind, len(others), count))
        for language in others:
            out.append("    {")
            out += ["        " + literals(text, "        ", "") + "," for text in catalogues[language][kind].values()]
            out.append("    },")
        out.append("};")
    return C % ("\n".join(out), ", ".join('"%s"' % language for language in others), *counts)


MADE = {
    os.path.join(ROOT, "Sources", "CustomKeyboard", "Messages", "MessageLanguage+Table.swift"): swift,
    os.path.join(ROOT, "Bindings", "web", "messages.js"): javascript,
    os.path.join(HERE, "custom_keyboard_messages.h"): c,
}


def main(arguments):
    catalogues = read()
    for path, make in MADE.items():
        if arguments == ["--update"]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(make(catalogues))
        elif arguments == ["--check"]:
            with open(path, encoding="utf-8") as file:
                if file.read() != make(catalogues):
                    sys.exit("catalogue.py: %s is not what this makes; to write it: Messages/catalogue.py --update"
                             % os.path.relpath(path, ROOT))
        else:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
