// The sentences for people, in each language. Messages/catalogue.py makes this file from Messages/*.json.
//
//     import { sentence } from './messages.js';
//     sentence('rules', 'COMMON')            in the person's language, or in English
//     sentence('codes', error.code, ['ko'])  in the first of these languages that there is
//
// SPDX-License-Identifier: Apache-2.0

export const messages = {
  en: {
    rules: {
      MIN_LENGTH: "This passcode is too short.",
      MAX_LENGTH: "This passcode is too long.",
      DIGITS: "Use digits only.",
      ALPHANUMERIC: "Use digits and the letters A to Z only.",
      SAME: "Do not repeat one character several times in a row.",
      RUN: "Do not use digits or letters in their order, such as 123 or cba.",
      PAIRS: "Do not repeat the same two characters, such as 121212.",
      DOUBLES: "Do not use each character twice in a row, such as 112233.",
      TEXT: "This passcode contains a word that is not allowed.",
      DATE: "Do not use your date of birth, or a part of it.",
      PHONE: "Do not use a part of your telephone number.",
      COMMON: "Many people choose this passcode. Choose one that is harder to guess.",
      MATCH: "This passcode does not have the required form.",
      NOT_MATCH: "This passcode has a form that is not allowed.",
    },
    codes: {
      OK: "Done.",
      ERR: "Set a key of the algorithm (raw bytes, no PEM) while closed; for a sealed text a " +
        "context, too, for ECB none.",
      OP_DISABLE: "Set the key or receive a text while the keyboard is closed; type and take the text " +
        "while it is open.",
      MAXLEN: "Keep the password to 128 bytes, an ECB ciphertext to 144 and a context to 256.",
      SPACE: "Call again with a space at least as long as the length that was reported.",
      ARGUMENT: "Pass a live keyboard, a known algorithm, good UTF-8, rules and verifiers, and buffers " +
        "that do not overlap.",
      UNDECRYPTABLE: "Check that algorithm, key and context are those of the encryption, and that the " +
        "ciphertext or message is whole.",
      MEMORY: "Free some memory and call again.",
      RANDOM: "Let this process reach the system's random numbers (getrandom) and call again.",
      MISMATCH: "Do not trust it: passcodes or ends of a login differ, or the signature is not for this " +
        "text, context and key.",
      REFUSED: "Choose another passcode, or load new keys: this passcode is not allowed, or all keys " +
        "were used.",
      EXISTS: "Choose another name, or change what has this one: it is there already.",
      NOT_FOUND: "Check the name: nothing of this name is there.",
      LOCKED: "Wait until the lock ends, or have it reset: there were too many wrong tries, and " +
        "nothing was tried now.",
      DAMAGED: "Restore a copy, or load a terminal's keys anew: what is stored was altered, or is not " +
        "whole.",
      STORAGE: "Check the file and its folder: whether they are there, the rights of their owner and of " +
        "others, and the disk.",
      BUSY: "Call again: it is in use elsewhere, by this process or another one.",
    },
  },
  de: {
    rules: {
      MIN_LENGTH: "Dieser Code ist zu kurz.",
      MAX_LENGTH: "Dieser Code ist zu lang.",
      DIGITS: "Verwenden Sie nur Ziffern.",
      ALPHANUMERIC: "Verwenden Sie nur Ziffern und die Buchstaben A bis Z.",
      SAME: "Wiederholen Sie kein Zeichen mehrmals hintereinander.",
      RUN: "Verwenden Sie keine Folgen von Ziffern oder Buchstaben wie 123 oder cba.",
      PAIRS: "Wiederholen Sie nicht dieselben zwei Zeichen, wie in 121212.",
      DOUBLES: "Verwenden Sie nicht jedes Zeichen zweimal hintereinander, wie in 112233.",
      TEXT: "Dieser Code enthält ein Wort, das nicht erlaubt ist.",
      DATE: "Verwenden Sie weder Ihr Geburtsdatum noch einen Teil davon.",
      PHONE: "Verwenden Sie keinen Teil Ihrer Telefonnummer.",
      COMMON: "Viele Menschen wählen diesen Code. Wählen Sie einen, der schwerer zu erraten ist.",
      MATCH: "Dieser Code hat nicht die verlangte Form.",
      NOT_MATCH: "Dieser Code hat eine Form, die nicht erlaubt ist.",
    },
    codes: {
      OK: "Fertig.",
      ERR: "Setzen Sie einen Schlüssel des Verfahrens (rohe Bytes, kein PEM), solange die Tastatur " +
        "geschlossen ist, und einen Kontext für einen versiegelten Text, keinen für einen " +
        "ECB-Text.",
      OP_DISABLE: "Setzen Sie den Schlüssel und empfangen Sie Texte, solange die Tastatur geschlossen ist; " +
        "tippen Sie und holen Sie den Text, solange sie offen ist.",
      MAXLEN: "Das Passwort darf 128 Bytes lang sein, ein ECB-Geheimtext 144 und ein Kontext 256.",
      SPACE: "Rufen Sie noch einmal mit einem Bereich auf, der mindestens so lang ist wie gemeldet.",
      ARGUMENT: "Übergeben Sie eine bestehende Tastatur, ein bekanntes Verfahren, richtiges UTF-8, " +
        "richtige Regeln und Prüfwerte, und Puffer, die sich nicht überlappen.",
      UNDECRYPTABLE: "Prüfen Sie, ob Verfahren, Schlüssel und Kontext dieselben wie beim Verschlüsseln sind " +
        "und ob der Geheimtext oder die Nachricht vollständig ist.",
      MEMORY: "Geben Sie Speicher frei und rufen Sie noch einmal auf.",
      RANDOM: "Lassen Sie diesen Prozess die Zufallszahlen des Systems erreichen (getrandom) und rufen " +
        "Sie noch einmal auf.",
      MISMATCH: "Vertrauen Sie dem nicht: Zwei Codes oder die beiden Seiten einer Anmeldung passen nicht " +
        "zusammen, oder die Signatur passt nicht zu diesem Text, Kontext und Schlüssel.",
      REFUSED: "Wählen Sie einen anderen Code, oder laden Sie neue Schlüssel: Dieser Code ist nicht " +
        "erlaubt, oder alle Schlüssel sind verbraucht.",
      EXISTS: "Wählen Sie einen anderen Namen, oder ändern Sie, was diesen hat: Es gibt ihn schon.",
      NOT_FOUND: "Prüfen Sie den Namen: Es gibt nichts mit diesem Namen.",
      LOCKED: "Warten Sie, bis die Sperre endet, oder lassen Sie sie aufheben: Es gab zu viele falsche " +
        "Versuche, und jetzt wurde nichts versucht.",
      DAMAGED: "Stellen Sie eine Kopie wieder her, oder laden Sie die Schlüssel eines Terminals neu: " +
        "Was gespeichert ist, wurde verändert oder ist nicht vollständig.",
      STORAGE: "Prüfen Sie die Datei und ihren Ordner: ob sie da sind, die Rechte ihres Besitzers und " +
        "der anderen, und die Festplatte.",
      BUSY: "Rufen Sie noch einmal auf: Es wird anderswo benutzt, von diesem Prozess oder einem " +
        "anderen.",
    },
  },
  ja: {
    rules: {
      MIN_LENGTH: "パスコードが短すぎます。",
      MAX_LENGTH: "パスコードが長すぎます。",
      DIGITS: "数字だけを使ってください。",
      ALPHANUMERIC: "数字と英字 A～Z だけを使ってください。",
      SAME: "同じ文字を何度も続けて使わないでください。",
      RUN: "123 や cba のように順番に並んだ数字や文字を使わないでください。",
      PAIRS: "121212 のように同じ二つの文字を繰り返さないでください。",
      DOUBLES: "112233 のようにすべての文字を二つずつ続けて使わないでください。",
      TEXT: "パスコードに使用できない言葉が含まれています。",
      DATE: "生年月日やその一部を使わないでください。",
      PHONE: "電話番号の一部を使わないでください。",
      COMMON: "多くの人が使っているパスコードです。もっと推測されにくいものを選んでください。",
      MATCH: "パスコードが必要な形式になっていません。",
      NOT_MATCH: "この形式のパスコードは使えません。",
    },
    codes: {
      OK: "完了しました。",
      ERR: "キーボードを閉じた状態で、アルゴリズムの鍵をそのままのバイト列で（PEM " +
        "ではなく）設定してください。封印されたテキストにはコンテキストも設定し、ECB " +
        "の暗号文には設定しません。",
      OP_DISABLE: "鍵の設定と暗号文の受け取りはキーボードが閉じている間に、" +
        "入力と暗号文の取り出しは開いている間に行ってください。",
      MAXLEN: "パスワードは 128 バイト、ECB の暗号文は 144 バイト、コンテキストは 256 " +
        "バイトまでにしてください。",
      SPACE: "報告された長さ以上の領域を渡して、もう一度呼び出してください。",
      ARGUMENT: "有効なキーボード、既知のアルゴリズム、正しい UTF-8、正しい規則と検証値、" +
        "重ならないバッファーを渡してください。",
      UNDECRYPTABLE: "アルゴリズム、鍵、コンテキストが暗号化したときと同じか、" +
        "暗号文またはメッセージが欠けていないかを確認してください。",
      MEMORY: "メモリーを空けて、もう一度呼び出してください。",
      RANDOM: "このプロセスがシステムの乱数（getrandom）を使えるようにして、" +
        "もう一度呼び出してください。",
      MISMATCH: "信頼しないでください。二つのパスコードまたはログインの両側が一致しないか、" +
        "署名がこのテキスト、コンテキスト、鍵に合っていません。",
      REFUSED: "別のパスコードを選ぶか、新しい鍵を読み込んでください。このパスコードは使えないか、" +
        "すべての鍵を使い切りました。",
      EXISTS: "別の名前を選ぶか、この名前のものを変更してください。すでに存在します。",
      NOT_FOUND: "名前を確認してください。この名前のものはありません。",
      LOCKED: "ロックが終わるまで待つか、解除してもらってください。誤った試行が多すぎたため、" +
        "今回は何も試されませんでした。",
      DAMAGED: "コピーから復元するか、端末の鍵を読み込み直してください。" +
        "保存されているものが変更されたか、欠けています。",
      STORAGE: "ファイルとそのフォルダーを確認してください。存在するか、所有者と他の人の権限、" +
        "そしてディスクです。",
      BUSY: "もう一度呼び出してください。このプロセスか別のプロセスで使用中です。",
    },
  },
  ko: {
    rules: {
      MIN_LENGTH: "비밀번호가 너무 짧습니다.",
      MAX_LENGTH: "비밀번호가 너무 깁니다.",
      DIGITS: "숫자만 사용하십시오.",
      ALPHANUMERIC: "숫자와 영문자 A~Z만 사용하십시오.",
      SAME: "같은 문자를 여러 번 연속해서 사용하지 마십시오.",
      RUN: "123이나 cba처럼 순서대로 이어지는 숫자나 문자를 사용하지 마십시오.",
      PAIRS: "121212처럼 같은 두 문자를 반복하지 마십시오.",
      DOUBLES: "112233처럼 모든 문자를 두 번씩 연속해서 사용하지 마십시오.",
      TEXT: "비밀번호에 사용할 수 없는 단어가 들어 있습니다.",
      DATE: "생년월일이나 그 일부를 사용하지 마십시오.",
      PHONE: "전화번호의 일부를 사용하지 마십시오.",
      COMMON: "많은 사람이 사용하는 비밀번호입니다. 추측하기 더 어려운 비밀번호를 선택하십시오.",
      MATCH: "비밀번호가 요구되는 형식이 아닙니다.",
      NOT_MATCH: "이 형식의 비밀번호는 허용되지 않습니다.",
    },
    codes: {
      OK: "완료되었습니다.",
      ERR: "키보드가 닫혀 있는 동안 알고리즘의 키를 원시 바이트로(PEM이 아닌) 설정하십시오. 봉인된 " +
        "텍스트에는 컨텍스트도 설정하고, ECB 암호문에는 설정하지 마십시오.",
      OP_DISABLE: "키 설정과 암호문 수신은 키보드가 닫혀 있을 때, 입력과 암호문 가져오기는 열려 있을 때 " +
        "하십시오.",
      MAXLEN: "비밀번호는 128바이트, ECB 암호문은 144바이트, 컨텍스트는 256바이트를 넘지 않게 하십시오.",
      SPACE: "보고된 길이 이상의 공간으로 다시 호출하십시오.",
      ARGUMENT: "유효한 키보드, 알려진 알고리즘, 올바른 UTF-8, 올바른 규칙과 검증값, 서로 겹치지 않는 " +
        "버퍼를 전달하십시오.",
      UNDECRYPTABLE: "알고리즘, 키, 컨텍스트가 암호화할 때와 같은지, 암호문이나 메시지가 온전한지 " +
        "확인하십시오.",
      MEMORY: "메모리를 확보한 뒤 다시 호출하십시오.",
      RANDOM: "이 프로세스가 시스템의 난수(getrandom)를 사용할 수 있게 한 뒤 다시 호출하십시오.",
      MISMATCH: "신뢰하지 마십시오. 두 비밀번호 또는 로그인의 양쪽이 일치하지 않거나, 서명이 이 텍스트, " +
        "컨텍스트, 키에 맞지 않습니다.",
      REFUSED: "다른 비밀번호를 선택하거나 새 키를 넣으십시오. 이 비밀번호는 허용되지 않거나 모든 키를 " +
        "사용했습니다.",
      EXISTS: "다른 이름을 선택하거나 이 이름을 가진 항목을 변경하십시오. 이미 존재합니다.",
      NOT_FOUND: "이름을 확인하십시오. 이 이름을 가진 항목이 없습니다.",
      LOCKED: "잠금이 끝날 때까지 기다리거나 잠금을 해제해 달라고 하십시오. 잘못된 시도가 너무 많아 " +
        "이번에는 아무것도 시도하지 않았습니다.",
      DAMAGED: "사본을 복원하거나 단말기의 키를 다시 넣으십시오. 저장된 내용이 변경되었거나 온전하지 " +
        "않습니다.",
      STORAGE: "파일과 폴더를 확인하십시오. 존재하는지, 소유자와 다른 사용자의 권한, 그리고 디스크를 " +
        "살펴보십시오.",
      BUSY: "다시 호출하십시오. 이 프로세스나 다른 프로세스에서 사용 중입니다.",
    },
  },
  zh: {
    rules: {
      MIN_LENGTH: "密码太短。",
      MAX_LENGTH: "密码太长。",
      DIGITS: "只能使用数字。",
      ALPHANUMERIC: "只能使用数字和字母 A 到 Z。",
      SAME: "不要连续多次使用同一个字符。",
      RUN: "不要使用按顺序排列的数字或字母，例如 123 或 cba。",
      PAIRS: "不要重复相同的两个字符，例如 121212。",
      DOUBLES: "不要让每个字符都连续出现两次，例如 112233。",
      TEXT: "密码中含有不允许使用的词。",
      DATE: "不要使用您的出生日期或其中的一部分。",
      PHONE: "不要使用您电话号码的一部分。",
      COMMON: "很多人都使用这个密码。请选择一个更难猜的密码。",
      MATCH: "密码不符合要求的格式。",
      NOT_MATCH: "不允许使用这种格式的密码。",
    },
    codes: {
      OK: "完成。",
      ERR: "请在键盘关闭时设置该算法密钥的原始字节（不是 PEM）；密封文本还需设置上下文，ECB " +
        "密文不带上下文。",
      OP_DISABLE: "请在键盘关闭时设置密钥或接收密文，在键盘打开时输入并取出密文。",
      MAXLEN: "密码不得超过 128 字节，ECB 密文不得超过 144 字节，上下文不得超过 256 字节。",
      SPACE: "请用不小于所报告长度的缓冲区再次调用。",
      ARGUMENT: "请传入有效的键盘、已知的算法、正确的 UTF-8、正确的规则和验证值，以及互不重叠的缓冲区。",
      UNDECRYPTABLE: "请检查算法、密钥和上下文是否与加密时相同，以及密文或消息是否完整。",
      MEMORY: "请释放一些内存，然后再次调用。",
      RANDOM: "请允许此进程使用系统的随机数（getrandom），然后再次调用。",
      MISMATCH: "请不要信任它：两个密码或登录的两端不相符，或者签名与此文本、上下文和密钥不符。",
      REFUSED: "请选择另一个密码，或装入新的密钥：这个密码不被允许，或者所有密钥都已用完。",
      EXISTS: "请选择另一个名称，或更改使用此名称的条目：它已经存在。",
      NOT_FOUND: "请检查名称：没有使用此名称的条目。",
      LOCKED: "请等待锁定结束，或请人解除锁定：错误的尝试太多，这次没有进行任何尝试。",
      DAMAGED: "请恢复一个副本，或重新装入终端的密钥：存储的内容被更改过，或者不完整。",
      STORAGE: "请检查文件及其文件夹：它们是否存在、所有者和其他人的权限，以及磁盘。",
      BUSY: "请再次调用：它正在别处使用，由此进程或另一个进程占用。",
    },
  },
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
