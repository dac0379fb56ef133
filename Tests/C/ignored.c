/*
 * A program that ignores answers: headers.sh compiles it, and counts the warnings. Each call but the last three must be
 * warned of. It is never run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <custom_keyboard.h>

void ignore_answers(CUSTOM_KEYBOARD k, uint8_t *bytes, size_t *place);

void ignore_answers(CUSTOM_KEYBOARD k, uint8_t *bytes, size_t *place) {
  CustomKeyboard_getText(k, bytes, 1, place, place);
  CustomKeyboard_checkPattern(bytes, 1, place);
  CustomKeyboard_check(k, place);
  CustomKeyboard_checkRule(k, CUSTOM_KEYBOARD_RULE_COMMON, 0, bytes, 0);
  CustomKeyboard_compare(k, k);
  CustomKeyboard_makeVerifier(k, bytes, 1, (char *)bytes, 1, place);
  CustomKeyboard_checkVerifier(k, bytes, 1, (const char *)bytes);
  CustomKeyboard_deriveKey(k, bytes, 8, bytes, 1, 0, 0, bytes, 16);
  CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, bytes, 16, bytes, 16, bytes, 1, place, place);
  CustomKeyboard_sealTyped(k, CUSTOM_ENCWAY_SM4_GCM, bytes, 16, bytes, 1, bytes, 1, place, place);
  CustomKeyboard_unseal(CUSTOM_ENCWAY_SM4_GCM, bytes, 16, bytes, 1, bytes, 1, bytes, 1, place, place);
  CustomKeyboard_receive(k, CUSTOM_ENCWAY_SM4_GCM, bytes, 16, bytes, 1, bytes, 1);
  CustomKeyboard_generateKey(CUSTOM_ENCWAY_SM4_GCM, bytes, 16, place, bytes, 1, place);
  CustomKeyboard_publicKey(CUSTOM_ENCWAY_P256, bytes, 32, bytes, 1, place);
  CustomKeyboard_signText(CUSTOM_SIGNWAY_P256, bytes, 32, bytes, 1, bytes, 1, bytes, 1, place);
  CustomKeyboard_verifyText(CUSTOM_SIGNWAY_P256, bytes, 65, bytes, 1, bytes, 1, bytes, 1);
  CustomKeyboard_opaqueSetup(bytes, 96, place, bytes, 32, place);
  CustomKeyboard_opaqueRespond(bytes, 96, bytes, 1, bytes, 32, bytes, 64, place);
  CustomKeyboard_opaqueAnswer(bytes, 96, bytes, 1, bytes, 0, 0, bytes, 96, bytes, 320, place, bytes, 128, place);
  CustomKeyboard_opaqueCheck(bytes, 128, bytes, 64, bytes, 64, place);
  CustomKeyboard_opaqueRegister(k, bytes, 32, place);
  CustomKeyboard_opaqueRecord(k, bytes, 64, 0, bytes, 192, place, 0);
  CustomKeyboard_opaqueLogin(k, bytes, 96, place);
  CustomKeyboard_opaqueFinish(k, bytes, 320, 0, bytes, 64, place, 0, 0);
  CustomKeyboard_close(k);
  CustomKeyboard_clearRules(k);
  CustomKeyboard_destroy(k);
}
