/*
 * A C++ program: a keyboard that is destroyed at the end of its scope, a password in a std::string, errors as
 * exceptions. It shows that the header is enough to build these in C++.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <custom_keyboard.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static unsigned long checks = 0, failures = 0;
static void check_that(bool passed, const char *what, int line) {
  checks++;
  if (passed) return;
  failures++;
  std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, line, what);
}
#define CHECK(condition) check_that((condition), #condition, __LINE__)

static void check(CUSTOM_KEYBOARD_RV rv) {
  if (rv != CUSTOM_KEYBOARD_OK) throw std::runtime_error(CustomKeyboard_message(rv));
}

static const std::uint8_t *bytes(const std::string &text) {
  return reinterpret_cast<const std::uint8_t *>(text.data());
}

class Keyboard {
 public:
  Keyboard(const std::string &key, CUSTOM_ENCWAY way) {
    check(CustomKeyboard_create(&handle));
    check(CustomKeyboard_setEncKey(handle, bytes(key), key.size(), way));
    check(CustomKeyboard_open(handle));
  }
  ~Keyboard() { CustomKeyboard_destroy(handle); }
  Keyboard(const Keyboard &) = delete;
  Keyboard &operator=(const Keyboard &) = delete;

  void type(const std::string &text) { check(CustomKeyboard_input(handle, bytes(text), text.size())); }

  std::vector<std::uint8_t> text() const {
    std::vector<std::uint8_t> space(CUSTOM_KEYBOARD_ENCDATASPACESIZE);
    std::size_t offset = 0, length = 0;
    check(CustomKeyboard_getText(handle, space.data(), space.size(), &offset, &length));
    const auto first = space.begin() + static_cast<std::ptrdiff_t>(offset);
    return std::vector<std::uint8_t>(first, first + static_cast<std::ptrdiff_t>(length));
  }

  CUSTOM_KEYBOARD handle = 0;
};

static std::string decrypt(const std::vector<std::uint8_t> &text, const std::string &key, CUSTOM_ENCWAY way) {
  std::vector<std::uint8_t> space(CUSTOM_KEYBOARD_ENCDATASPACESIZE);
  std::size_t offset = 0, length = 0;
  check(CustomKeyboard_decrypt(way, bytes(key), key.size(), text.data(), text.size(), space.data(), space.size(),
                               &offset, &length));
  return std::string(reinterpret_cast<const char *>(space.data()) + offset, length);
}

/* A PIN pad. A lambda without captures can be a C callback; its data comes through the context. */
static void tap_pin(const std::string &key) {
  Keyboard keyboard(key, CUSTOM_ENCWAY_SM4);
  std::vector<std::uint8_t> text;
  check(CustomKeyboard_close(keyboard.handle));
  check(CustomKeyboard_setLayout(keyboard.handle, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 4));
  check(CustomKeyboard_setOKAction(
      keyboard.handle,
      [](void *context, CUSTOM_KEYBOARD handle) {
        std::uint8_t space[16];
        std::size_t offset = 0, length = 0;
        if (CustomKeyboard_getText(handle, space, sizeof space, &offset, &length) != CUSTOM_KEYBOARD_OK) return;
        static_cast<std::vector<std::uint8_t> *>(context)->assign(space, space + length);
      },
      &text));
  check(CustomKeyboard_open(keyboard.handle));
  std::string pin;
  for (std::size_t i = 0; i < 4; i++) {
    std::vector<CUSTOM_KEYBOARD_KEY> keys(12);
    std::size_t count = 0;
    CHECK(text.empty());
    check(CustomKeyboard_keys(keyboard.handle, keys.data(), keys.size(), &count));
    check(CustomKeyboard_touch(keyboard.handle, keys[2 * i].x + 1, keys[2 * i].y + 1));
    pin += keys[2 * i].label;
  }
  CUSTOM_KEYBOARD_JOB job = CUSTOM_KEYBOARD_JOB();
  std::uint8_t clear[4];
  job.key = bytes(key), job.keyLength = key.size(), job.text = text.data(), job.textLength = text.size();
  job.clear = clear, job.clearCapacity = sizeof clear;
  check(CustomKeyboard_decryptBatch(CUSTOM_ENCWAY_SM4, &job, 1));
  CHECK(job.rv == CUSTOM_KEYBOARD_OK && std::string(clear, clear + job.clearLength) == pin);
}

int main() {
  const std::string key = "8907654329807654", password = "kgcx879@";
  CUSTOM_KEYBOARD ended = 0;
  {
    Keyboard keyboard(key, CUSTOM_ENCWAY_SM4);
    ended = keyboard.handle;
    keyboard.type(password);
    const std::vector<std::uint8_t> text = keyboard.text();
    CHECK(text.size() == 16 && text[0] == 0x0f && text[15] == 0x09);
    CHECK(decrypt(text, key, CUSTOM_ENCWAY_SM4) == password);
    try {
      keyboard.type(std::string(128, 'x'));
      CHECK(!"a password that is too long was taken");
    } catch (const std::runtime_error &error) {
      CHECK(std::string(error.what()) == CustomKeyboard_message(CUSTOM_KEYBOARD_MAXLEN));
    }
    CHECK(keyboard.text() == text);
  }
  CHECK(CustomKeyboard_destroy(ended) == CUSTOM_KEYBOARD_ARGUMENT);
  tap_pin(key);
  CHECK(std::string(CustomKeyboard_version()) == CUSTOM_KEYBOARD_VERSION);
  std::printf("client.cpp: %lu checks\n", checks);
  return failures == 0 && checks == 11 ? 0 : 1;
}
