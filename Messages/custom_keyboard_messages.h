/*
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

static const char *const CustomKeyboardMessages_rules[4][14] = {
    {
        "Dieser Code ist zu kurz.",
        "Dieser Code ist zu lang.",
        "Verwenden Sie nur Ziffern.",
        "Verwenden Sie nur Ziffern und die Buchstaben A bis Z.",
        "Wiederholen Sie kein Zeichen mehrmals hintereinander.",
        "Verwenden Sie keine Folgen von Ziffern oder Buchstaben wie 123 oder cba.",
        "Wiederholen Sie nicht dieselben zwei Zeichen, wie in 121212.",
        "Verwenden Sie nicht jedes Zeichen zweimal hintereinander, wie in 112233.",
        "Dieser Code enthält ein Wort, das nicht erlaubt ist.",
        "Verwenden Sie weder Ihr Geburtsdatum noch einen Teil davon.",
        "Verwenden Sie keinen Teil Ihrer Telefonnummer.",
        "Viele Menschen wählen diesen Code. Wählen Sie einen, der schwerer zu erraten ist.",
        "Dieser Code hat nicht die verlangte Form.",
        "Dieser Code hat eine Form, die nicht erlaubt ist.",
    },
    {
        "パスコードが短すぎます。",
        "パスコードが長すぎます。",
        "数字だけを使ってください。",
        "数字と英字 A～Z だけを使ってください。",
        "同じ文字を何度も続けて使わないでください。",
        "123 や cba のように順番に並んだ数字や文字を使わないでください。",
        "121212 のように同じ二つの文字を繰り返さないでください。",
        "112233 のようにすべての文字を二つずつ続けて使わないでください。",
        "パスコードに使用できない言葉が含まれています。",
        "生年月日やその一部を使わないでください。",
        "電話番号の一部を使わないでください。",
        "多くの人が使っているパスコードです。もっと推測されにくいものを選んでください。",
        "パスコードが必要な形式になっていません。",
        "この形式のパスコードは使えません。",
    },
    {
        "비밀번호가 너무 짧습니다.",
        "비밀번호가 너무 깁니다.",
        "숫자만 사용하십시오.",
        "숫자와 영문자 A~Z만 사용하십시오.",
        "같은 문자를 여러 번 연속해서 사용하지 마십시오.",
        "123이나 cba처럼 순서대로 이어지는 숫자나 문자를 사용하지 마십시오.",
        "121212처럼 같은 두 문자를 반복하지 마십시오.",
        "112233처럼 모든 문자를 두 번씩 연속해서 사용하지 마십시오.",
        "비밀번호에 사용할 수 없는 단어가 들어 있습니다.",
        "생년월일이나 그 일부를 사용하지 마십시오.",
        "전화번호의 일부를 사용하지 마십시오.",
        "많은 사람이 사용하는 비밀번호입니다. 추측하기 더 어려운 비밀번호를 선택하십시오.",
        "비밀번호가 요구되는 형식이 아닙니다.",
        "이 형식의 비밀번호는 허용되지 않습니다.",
    },
    {
        "密码太短。",
        "密码太长。",
        "只能使用数字。",
        "只能使用数字和字母 A 到 Z。",
        "不要连续多次使用同一个字符。",
        "不要使用按顺序排列的数字或字母，例如 123 或 cba。",
        "不要重复相同的两个字符，例如 121212。",
        "不要让每个字符都连续出现两次，例如 112233。",
        "密码中含有不允许使用的词。",
        "不要使用您的出生日期或其中的一部分。",
        "不要使用您电话号码的一部分。",
        "很多人都使用这个密码。请选择一个更难猜的密码。",
        "密码不符合要求的格式。",
        "不允许使用这种格式的密码。",
    },
};
static const char *const CustomKeyboardMessages_codes[4][17] = {
    {
        "Fertig.",
        "Setzen Sie einen Schlüssel des Verfahrens (rohe Bytes, kein PEM), solange die Tastatur "
        "geschlossen ist, und einen Kontext für einen versiegelten Text, keinen für einen "
        "ECB-Text.",
        "Setzen Sie den Schlüssel und empfangen Sie Texte, solange die Tastatur geschlossen ist; "
        "tippen Sie und holen Sie den Text, solange sie offen ist.",
        "Das Passwort darf 128 Bytes lang sein, ein ECB-Geheimtext 144 und ein Kontext 256.",
        "Rufen Sie noch einmal mit einem Bereich auf, der mindestens so lang ist wie gemeldet.",
        "Übergeben Sie eine bestehende Tastatur, ein bekanntes Verfahren, richtiges UTF-8, "
        "richtige Regeln und Prüfwerte, und Puffer, die sich nicht überlappen.",
        "Prüfen Sie, ob Verfahren, Schlüssel und Kontext dieselben wie beim Verschlüsseln sind "
        "und ob der Geheimtext oder die Nachricht vollständig ist.",
        "Geben Sie Speicher frei und rufen Sie noch einmal auf.",
        "Lassen Sie diesen Prozess die Zufallszahlen des Systems erreichen (getrandom) und rufen "
        "Sie noch einmal auf.",
        "Vertrauen Sie dem nicht: Zwei Codes oder die beiden Seiten einer Anmeldung passen nicht "
        "zusammen, oder die Signatur passt nicht zu diesem Text, Kontext und Schlüssel.",
        "Wählen Sie einen anderen Code, oder laden Sie neue Schlüssel: Dieser Code ist nicht "
        "erlaubt, oder alle Schlüssel sind verbraucht.",
        "Wählen Sie einen anderen Namen, oder ändern Sie, was diesen hat: Es gibt ihn schon.",
        "Prüfen Sie den Namen: Es gibt nichts mit diesem Namen.",
        "Warten Sie, bis die Sperre endet, oder lassen Sie sie aufheben: Es gab zu viele falsche "
        "Versuche, und jetzt wurde nichts versucht.",
        "Stellen Sie eine Kopie wieder her, oder laden Sie die Schlüssel eines Terminals neu: "
        "Was gespeichert ist, wurde verändert oder ist nicht vollständig.",
        "Prüfen Sie die Datei und ihren Ordner: ob sie da sind, die Rechte ihres Besitzers und "
        "der anderen, und die Festplatte.",
        "Rufen Sie noch einmal auf: Es wird anderswo benutzt, von diesem Prozess oder einem "
        "anderen.",
    },
    {
        "完了しました。",
        "キーボードを閉じた状態で、アルゴリズムの鍵をそのままのバイト列で（PEM "
        "ではなく）設定してください。封印されたテキストにはコンテキストも設定し、ECB "
        "の暗号文には設定しません。",
        "鍵の設定と暗号文の受け取りはキーボードが閉じている間に、"
        "入力と暗号文の取り出しは開いている間に行ってください。",
        "パスワードは 128 バイト、ECB の暗号文は 144 バイト、コンテキストは 256 "
        "バイトまでにしてください。",
        "報告された長さ以上の領域を渡して、もう一度呼び出してください。",
        "有効なキーボード、既知のアルゴリズム、正しい UTF-8、正しい規則と検証値、"
        "重ならないバッファーを渡してください。",
        "アルゴリズム、鍵、コンテキストが暗号化したときと同じか、"
        "暗号文またはメッセージが欠けていないかを確認してください。",
        "メモリーを空けて、もう一度呼び出してください。",
        "このプロセスがシステムの乱数（getrandom）を使えるようにして、"
        "もう一度呼び出してください。",
        "信頼しないでください。二つのパスコードまたはログインの両側が一致しないか、"
        "署名がこのテキスト、コンテキスト、鍵に合っていません。",
        "別のパスコードを選ぶか、新しい鍵を読み込んでください。このパスコードは使えないか、"
        "すべての鍵を使い切りました。",
        "別の名前を選ぶか、この名前のものを変更してください。すでに存在します。",
        "名前を確認してください。この名前のものはありません。",
        "ロックが終わるまで待つか、解除してもらってください。誤った試行が多すぎたため、"
        "今回は何も試されませんでした。",
        "コピーから復元するか、端末の鍵を読み込み直してください。"
        "保存されているものが変更されたか、欠けています。",
        "ファイルとそのフォルダーを確認してください。存在するか、所有者と他の人の権限、"
        "そしてディスクです。",
        "もう一度呼び出してください。このプロセスか別のプロセスで使用中です。",
    },
    {
        "완료되었습니다.",
        "키보드가 닫혀 있는 동안 알고리즘의 키를 원시 바이트로(PEM이 아닌) 설정하십시오. 봉인된 "
        "텍스트에는 컨텍스트도 설정하고, ECB 암호문에는 설정하지 마십시오.",
        "키 설정과 암호문 수신은 키보드가 닫혀 있을 때, 입력과 암호문 가져오기는 열려 있을 때 "
        "하십시오.",
        "비밀번호는 128바이트, ECB 암호문은 144바이트, 컨텍스트는 256바이트를 넘지 않게 하십시오.",
        "보고된 길이 이상의 공간으로 다시 호출하십시오.",
        "유효한 키보드, 알려진 알고리즘, 올바른 UTF-8, 올바른 규칙과 검증값, 서로 겹치지 않는 "
        "버퍼를 전달하십시오.",
        "알고리즘, 키, 컨텍스트가 암호화할 때와 같은지, 암호문이나 메시지가 온전한지 "
        "확인하십시오.",
        "메모리를 확보한 뒤 다시 호출하십시오.",
        "이 프로세스가 시스템의 난수(getrandom)를 사용할 수 있게 한 뒤 다시 호출하십시오.",
        "신뢰하지 마십시오. 두 비밀번호 또는 로그인의 양쪽이 일치하지 않거나, 서명이 이 텍스트, "
        "컨텍스트, 키에 맞지 않습니다.",
        "다른 비밀번호를 선택하거나 새 키를 넣으십시오. 이 비밀번호는 허용되지 않거나 모든 키를 "
        "사용했습니다.",
        "다른 이름을 선택하거나 이 이름을 가진 항목을 변경하십시오. 이미 존재합니다.",
        "이름을 확인하십시오. 이 이름을 가진 항목이 없습니다.",
        "잠금이 끝날 때까지 기다리거나 잠금을 해제해 달라고 하십시오. 잘못된 시도가 너무 많아 "
        "이번에는 아무것도 시도하지 않았습니다.",
        "사본을 복원하거나 단말기의 키를 다시 넣으십시오. 저장된 내용이 변경되었거나 온전하지 "
        "않습니다.",
        "파일과 폴더를 확인하십시오. 존재하는지, 소유자와 다른 사용자의 권한, 그리고 디스크를 "
        "살펴보십시오.",
        "다시 호출하십시오. 이 프로세스나 다른 프로세스에서 사용 중입니다.",
    },
    {
        "完成。",
        "请在键盘关闭时设置该算法密钥的原始字节（不是 PEM）；密封文本还需设置上下文，ECB "
        "密文不带上下文。",
        "请在键盘关闭时设置密钥或接收密文，在键盘打开时输入并取出密文。",
        "密码不得超过 128 字节，ECB 密文不得超过 144 字节，上下文不得超过 256 字节。",
        "请用不小于所报告长度的缓冲区再次调用。",
        "请传入有效的键盘、已知的算法、正确的 UTF-8、正确的规则和验证值，以及互不重叠的缓冲区。",
        "请检查算法、密钥和上下文是否与加密时相同，以及密文或消息是否完整。",
        "请释放一些内存，然后再次调用。",
        "请允许此进程使用系统的随机数（getrandom），然后再次调用。",
        "请不要信任它：两个密码或登录的两端不相符，或者签名与此文本、上下文和密钥不符。",
        "请选择另一个密码，或装入新的密钥：这个密码不被允许，或者所有密钥都已用完。",
        "请选择另一个名称，或更改使用此名称的条目：它已经存在。",
        "请检查名称：没有使用此名称的条目。",
        "请等待锁定结束，或请人解除锁定：错误的尝试太多，这次没有进行任何尝试。",
        "请恢复一个副本，或重新装入终端的密钥：存储的内容被更改过，或者不完整。",
        "请检查文件及其文件夹：它们是否存在、所有者和其他人的权限，以及磁盘。",
        "请再次调用：它正在别处使用，由此进程或另一个进程占用。",
    },
};

/* The place in the tables of a language such as "ko", "ko-KR" or "ko_KR.UTF-8"; -1 if it is not there. Chinese is in
   simplified characters. */
static inline int CustomKeyboardMessages_language(const char *language) {
  static const char names[][3] = {"de", "ja", "ko", "zh"};
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
  if (place < 0 || (unsigned)rule >= 14) return CustomKeyboard_ruleMessage(rule);
  return CustomKeyboardMessages_rules[place][rule];
}

/* What to do about a code; in English for a language that is not there. */
static inline const char *CustomKeyboardMessages_ofCode(const char *language, CUSTOM_KEYBOARD_RV code) {
  int place = CustomKeyboardMessages_language(language);
  if (place < 0 || (unsigned)code >= 17) return CustomKeyboard_message(code);
  return CustomKeyboardMessages_codes[place][code];
}

#endif
