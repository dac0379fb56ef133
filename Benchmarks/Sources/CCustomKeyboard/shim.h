#include <custom_keyboard.h>
