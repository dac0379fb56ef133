/*
 * Names of Foundation that KeyboardView.swift uses, in our own words: Linux's compiler reads them, and nothing of it is
 * in a product. Each has its first iOS. Documentation: https://developer.apple.com/documentation/foundation/NAME,
 * where NAME is the name in small letters.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_TEST_FOUNDATION_H
#define CUSTOM_KEYBOARD_TEST_FOUNDATION_H

@import ObjectiveC;

#pragma clang assume_nonnull begin

IOS(2.0) BECOMES("Swift.String") @interface NSString : NSObject
@end
IOS(2.0) BECOMES("Swift.Array") @interface NSArray<__covariant T> : NSObject
@end
IOS(2.0) BECOMES("Swift.Set") @interface NSSet<__covariant T> : NSObject
@end
IOS(2.0) BECOMES("Swift.Dictionary") @interface NSDictionary<K, V> : NSObject
@end
IOS(2.0) @interface NSCoder : NSObject
@end
IOS(2.0) @protocol NSCoding
- (nullable instancetype)initWithCoder:(NSCoder *)coder IOS(2.0);
@end
IOS(2.0) SWIFT_NAME("Bundle") @interface NSBundle : NSObject
@end
IOS(3.2) @interface NSAttributedString : NSObject
@end
IOS(3.2) typedef NSString *NSAttributedStringKey __attribute__((swift_wrapper(struct)))
SWIFT_NAME("NSAttributedString.Key");
@interface NSAttributedString (Making)
- (instancetype)initWithString:(NSString *)string
                    attributes:(nullable NSDictionary<NSAttributedStringKey, id> *)attributes IOS(3.2);
@end
IOS(2.0) typedef NSString *NSNotificationName __attribute__((swift_wrapper(struct)))
SWIFT_NAME("NSNotification.Name");
IOS(2.0) @interface NSNotification : NSObject
@end
IOS(2.0) SWIFT_NAME("NotificationCenter") @interface NSNotificationCenter : NSObject
@property(class, readonly) NSNotificationCenter *defaultCenter SWIFT_NAME("default") IOS(2.0);
- (void)addObserver:(id)observer
           selector:(SEL)selector
               name:(nullable NSNotificationName)name
             object:(nullable id)object IOS(2.0);
@end

#pragma clang assume_nonnull end
#endif
