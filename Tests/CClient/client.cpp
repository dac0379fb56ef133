/*
 * A C++ program: a keyboard that ends with its scope, a password in a std::string, errors as exceptions. It shows that
 * the header is enough for what C++ users build on it.
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
  CHECK(std::string(CustomKeyboard_version()) == CUSTOM_KEYBOARD_VERSION);
  std::printf("client.cpp: %lu checks\n", checks);
  return failures == 0 && checks == 6 ? 0 : 1;
}
