/*
 * Names of UIKit that KeyboardView.swift uses, in our own words, as Foundation.h beside this. Documentation:
 * https://developer.apple.com/documentation/uikit/NAME, for a member NAME/MEMBER, in small letters.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_TEST_UIKIT_H
#define CUSTOM_KEYBOARD_TEST_UIKIT_H

@import Foundation;

#define MAIN __attribute__((swift_attr("@UIActor")))
#pragma clang assume_nonnull begin

/* ---- Core Graphics ----------------------------------------------------------------------------------------------- */

IOS(2.0) typedef double CGFloat;
IOS(2.0) typedef struct CGPoint { CGFloat x, y; } CGPoint;
IOS(2.0) typedef struct CGSize { CGFloat width, height; } CGSize;
IOS(2.0) typedef struct CGRect { CGPoint origin; CGSize size; } CGRect;

/* ---- Traits ------------------------------------------------------------------------------------------------------ */

IOS(12.0) typedef ENUM(long, UIUserInterfaceStyle) { UIUserInterfaceStyleUnspecified, UIUserInterfaceStyleLight,
                                                     UIUserInterfaceStyleDark };
IOS(13.0) typedef ENUM(long, UIAccessibilityContrast) { UIAccessibilityContrastUnspecified = -1,
                                                        UIAccessibilityContrastNormal, UIAccessibilityContrastHigh };
IOS(17.0) typedef ENUM(long, UISceneCaptureState) { UISceneCaptureStateUnspecified = -1, UISceneCaptureStateInactive,
                                                    UISceneCaptureStateActive };
IOS(8.0) MAIN @interface UITraitCollection : NSObject
@property(nonatomic, readonly) UIUserInterfaceStyle userInterfaceStyle IOS(12.0);
@property(nonatomic, readonly) UIAccessibilityContrast accessibilityContrast IOS(13.0);
@property(nonatomic, readonly) UISceneCaptureState sceneCaptureState IOS(17.0);
@end

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

IOS(2.0) @interface UIColor : NSObject
- (instancetype)initWithRed:(CGFloat)red green:(CGFloat)green blue:(CGFloat)blue alpha:(CGFloat)alpha IOS(2.0);
- (void)setFill IOS(2.0);
@end
IOS(2.0) @interface UIFont : NSObject
+ (UIFont *)systemFontOfSize:(CGFloat)size SWIFT_NAME("systemFont(ofSize:)") IOS(2.0);
@end
IOS(11.0) @interface UIFontMetrics : NSObject
@property(class, nonatomic, readonly) UIFontMetrics *defaultMetrics SWIFT_NAME("default") IOS(11.0);
- (CGFloat)scaledValueForValue:(CGFloat)value
 compatibleWithTraitCollection:(nullable UITraitCollection *)traits
    SWIFT_NAME("scaledValue(for:compatibleWith:)") IOS(11.0);
@end
IOS(3.2) @interface UIBezierPath : NSObject
+ (instancetype)bezierPathWithRect:(CGRect)rect IOS(3.2);
+ (instancetype)bezierPathWithRoundedRect:(CGRect)rect cornerRadius:(CGFloat)radius IOS(3.2);
- (void)fill IOS(3.2);
@end
@interface NSAttributedString (Drawing)
- (CGSize)size IOS(6.0);
- (void)drawAtPoint:(CGPoint)point SWIFT_NAME("draw(at:)") IOS(6.0);
@end

/* ---- Responders and views ---------------------------------------------------------------------------------------- */

@class UIView;
IOS(2.0) MAIN @interface UITouch : NSObject
@property(nonatomic, readonly) double timestamp IOS(2.0);
- (CGPoint)locationInView:(nullable UIView *)view SWIFT_NAME("location(in:)") IOS(2.0);
@end
IOS(2.0) MAIN @interface UIEvent : NSObject
@end
IOS(9.0) MAIN @interface UIPressesEvent : UIEvent
@end
IOS(13.4) MAIN @interface UIKey : NSObject
@property(nonatomic, readonly) NSString *characters IOS(13.4);
@end
IOS(9.0) MAIN @interface UIPress : NSObject
@property(nonatomic, readonly, nullable) UIKey *key IOS(13.4);
@end
IOS(2.0) MAIN @interface UIResponder : NSObject
@property(nonatomic, readonly) BOOL canBecomeFirstResponder IOS(2.0);
- (void)touchesBegan:(NSSet<UITouch *> *)touches withEvent:(nullable UIEvent *)event IOS(2.0);
- (void)touchesMoved:(NSSet<UITouch *> *)touches withEvent:(nullable UIEvent *)event IOS(2.0);
- (void)touchesEnded:(NSSet<UITouch *> *)touches withEvent:(nullable UIEvent *)event IOS(2.0);
- (void)touchesCancelled:(NSSet<UITouch *> *)touches withEvent:(nullable UIEvent *)event IOS(2.0);
- (void)pressesBegan:(NSSet<UIPress *> *)presses withEvent:(nullable UIPressesEvent *)event IOS(9.0);
@end
IOS(4.0) typedef ENUM(long, UIViewContentMode) { UIViewContentModeRedraw = 3 };
IOS(9.0) typedef ENUM(long, UISemanticContentAttribute) { UISemanticContentAttributeForceLeftToRight = 3 };
IOS(5.0) typedef ENUM(long, UIUserInterfaceLayoutDirection) { UIUserInterfaceLayoutDirectionLeftToRight,
                                                              UIUserInterfaceLayoutDirectionRightToLeft };
IOS(6.0) extern const CGFloat UIViewNoIntrinsicMetric SWIFT_NAME("UIView.noIntrinsicMetric");
IOS(2.0) MAIN @interface UIView : UIResponder <NSCoding>
- (instancetype)initWithFrame:(CGRect)frame __attribute__((objc_designated_initializer)) IOS(2.0);
- (nullable instancetype)initWithCoder:(NSCoder *)coder __attribute__((objc_designated_initializer)) IOS(2.0);
@property(nonatomic) CGRect bounds IOS(2.0);
@property(nonatomic, getter=isMultipleTouchEnabled) BOOL multipleTouchEnabled
    SWIFT_NAME("isMultipleTouchEnabled") IOS(2.0);
@property(nonatomic, getter=isOpaque) BOOL opaque SWIFT_NAME("isOpaque") IOS(2.0);
@property(nonatomic) UIViewContentMode contentMode IOS(2.0);
@property(nonatomic) UISemanticContentAttribute semanticContentAttribute IOS(9.0);
@property(nonatomic, readonly) UITraitCollection *traitCollection IOS(8.0);
@property(nonatomic, readonly) CGSize intrinsicContentSize IOS(6.0);
- (void)invalidateIntrinsicContentSize IOS(6.0);
- (void)drawRect:(CGRect)rect IOS(2.0);
- (void)setNeedsDisplay IOS(2.0);
- (void)layoutSubviews IOS(2.0);
- (void)didMoveToWindow IOS(2.0);
- (void)traitCollectionDidChange:(nullable UITraitCollection *)previous IOS(8.0);
@end
IOS(5.0) typedef OPTIONS(unsigned long, UIRectEdge) { UIRectEdgeNone = 0, UIRectEdgeAll = 15 };
IOS(2.0) MAIN @interface UIViewController : UIResponder <NSCoding>
- (instancetype)initWithNibName:(nullable NSString *)nib
                         bundle:(nullable NSBundle *)bundle __attribute__((objc_designated_initializer)) IOS(2.0);
- (nullable instancetype)initWithCoder:(NSCoder *)coder __attribute__((objc_designated_initializer)) IOS(2.0);
@property(nonatomic, strong, null_resettable) UIView *view IOS(2.0);
- (void)loadView IOS(2.0);
@property(nonatomic, readonly) UIRectEdge preferredScreenEdgesDeferringSystemGestures IOS(11.0);
@end
IOS(2.0) MAIN @interface UIApplication : UIResponder
@property(class, nonatomic, readonly) UIApplication *sharedApplication SWIFT_NAME("shared") IOS(2.0);
@property(nonatomic, readonly) UIUserInterfaceLayoutDirection userInterfaceLayoutDirection IOS(5.0);
@end
IOS(2.0) extern NSNotificationName const UIApplicationWillResignActiveNotification
SWIFT_NAME("UIApplication.willResignActiveNotification");
IOS(2.0) extern NSNotificationName const UIApplicationDidBecomeActiveNotification
SWIFT_NAME("UIApplication.didBecomeActiveNotification");

/* ---- Accessibility ----------------------------------------------------------------------------------------------- */

IOS(3.0) typedef OPTIONS(unsigned long long, UIAccessibilityTraits) { UIAccessibilityTraitButton = 1,
                                                                      UIAccessibilityTraitKeyboardKey = 2 };
MAIN @interface NSObject (Accessibility)
@property(nonatomic) BOOL isAccessibilityElement IOS(3.0);
@property(nonatomic, copy, nullable) NSString *accessibilityLabel IOS(3.0);
@property(nonatomic, copy, nullable) NSString *accessibilityValue IOS(3.0);
@property(nonatomic) UIAccessibilityTraits accessibilityTraits IOS(3.0);
@property(nonatomic, strong, nullable) NSArray *accessibilityElements IOS(8.0);
- (BOOL)accessibilityActivate IOS(7.0);
@end
IOS(3.0) MAIN @interface UIAccessibilityElement : UIResponder
- (instancetype)initWithAccessibilityContainer:(id)container IOS(3.0);
@property(nonatomic) CGRect accessibilityFrameInContainerSpace IOS(10.0);
@end
/* In UIKit this is a function, which Swift sees so. */
IOS(3.0) typedef ENUM(unsigned, UIAccessibilityNotification) { UIAccessibilityNotificationLayoutChanged = 1 };
MAIN @interface UIAccessibility : NSObject
+ (void)postNotification:(UIAccessibilityNotification)notification
                argument:(nullable id)argument SWIFT_NAME("post(notification:argument:)") IOS(3.0);
@end

#pragma clang assume_nonnull end
#endif
