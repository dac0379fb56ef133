// The sentences for a page: each file's, in the language of a tag.
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { check, end } from './check.mjs';

// As a browser loads it; Node takes a file of this name for another kind of module.
const source = readFileSync(new URL('../../Bindings/web/messages.js', import.meta.url)).toString('base64');
const { languageOf, messages, sentence } = await import(`data:text/javascript;base64,${source}`);

for (const language of ['en', 'de', 'ja', 'ko', 'zh']) {
  const file = JSON.parse(readFileSync(new URL(`../../Messages/${language}.json`, import.meta.url), 'utf8'));
  check(language, messages[language], file);
  for (const kind of ['rules', 'codes']) {
    for (const [key, text] of Object.entries(file[kind])) check(key, sentence(kind, key, ['fr', language, 'en']), text);
  }
}
for (const [tag, language] of Object.entries({
  de: 'de', 'de-CH': 'de', 'ko_KR.UTF-8': 'ko', 'JA-jp': 'ja', zh: 'zh', 'zh-CN': 'zh', 'zh-Hans-HK': 'zh',
  'en-GB': 'en',
})) {
  check(tag, languageOf(tag), language);
}
for (const tag of ['', '-', 'fr', 'deu', 'zh-TW', 'zh-Hant', 'zh-hk', 'constructor', '__proto__', undefined]) {
  check(String(tag), languageOf(tag), undefined);
}
check('no language of ours', sentence('codes', 'REFUSED', ['fr']), messages.en.codes.REFUSED);
check('no languages', sentence('codes', 'REFUSED', []), messages.en.codes.REFUSED);
check('no such code', sentence('codes', 'toString', ['de']), undefined);
end('messages');
