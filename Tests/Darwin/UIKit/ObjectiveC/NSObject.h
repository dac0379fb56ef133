/*
 * Names of Objective-C that KeyboardView.swift uses, in our own words, and what the headers beside this are written
 * with. Each name has its first iOS. Documentation: https://developer.apple.com/documentation/objectivec/NAME
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_TEST_OBJECTIVE_C_H
#define CUSTOM_KEYBOARD_TEST_OBJECTIVE_C_H

#define IOS(version)
#define BOOL _Bool
#define SWIFT_NAME(name) __attribute__((swift_name(name)))
#define BECOMES(type) __attribute__((swift_bridge(type)))
#define ENUM(type, name) enum __attribute__((enum_extensibility(open))) name : type name; enum name : type
#define OPTIONS(type, name) enum __attribute__((flag_enum, enum_extensibility(open))) name : type name; enum name : type

#pragma clang assume_nonnull begin

@protocol NSObject
@end
IOS(2.0) __attribute__((objc_root_class)) @interface NSObject <NSObject>
- (instancetype)init IOS(2.0);
@end

#pragma clang assume_nonnull end
#endif
