/*
 * The keyboard on the screen. The library says where the keys are, what is written on them, and which key a point
 * belongs to. What is left for a toolkit is here: to have the keys drawn, and to pass on where a finger came down.
 *
 * No label outlives a call: the keys are asked for each time, and wiped. No label is a widget. None is read to a person
 * who has not asked for that: with Tab and Enter, for people without a pointer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "keyboard_view.h"

#include <math.h>
#include <string.h>

#include "key_drawing.h"
#include "spoken_keys.h"

enum { MARGIN = 8, COLUMN_GAP = 6, ROW_GAP = 8 }; /* points */
enum { REPEAT_AFTER = 500, REPEAT_EVERY = 80 };   /* milliseconds */
static const char offer[] = "Enter: use arrow keys. Keys will be spoken.";

/* What tells a key from the others of its page, and of other pages: not its label. */
typedef struct HeldKey {
  ENCKEYBOARD_GridRect grid;
  CUSTOM_KEYBOARD_ROLE role;
} HeldKey;

typedef struct View {
  GtkWidget *area;
  CUSTOM_KEYBOARD keyboard;
  double widest, left, width, height; /* of the keys, without the margin */
  gboolean is_held;
  HeldKey held; /* by the last finger that came down */
  size_t held_index;
  GdkEventSequence *finger; /* NULL for a mouse */
  guint timer;
  /* For a pattern: where the finger is, the node that it joined last, and what was drawn on the way there. */
  gboolean is_drawing;
  double x, y;
  size_t last, joined;
  cairo_surface_t *way;
  KeyboardViewLeft left_pattern;
  void *data;
  /* Without a pointer: whether the person has asked for that, the key that is chosen, and whether Enter is down. */
  gboolean is_speaking, is_down;
  size_t chosen;
} View;

static size_t read_keys(View *view, CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS]) {
  size_t count;
  return CustomKeyboard_keys(view->keyboard, keys, CUSTOM_KEYBOARD_MAXKEYS, &count) == CUSTOM_KEYBOARD_OK ? count : 0;
}

static gboolean is_held(const View *view, const CUSTOM_KEYBOARD_KEY *key) {
  return view->is_held && key->role == view->held.role && memcmp(&key->grid, &view->held.grid, sizeof key->grid) == 0;
}

static void draw(GtkDrawingArea *area, cairo_t *cairo, int width, int height, gpointer data) {
  View *view = data;
  CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS];
  const size_t count = read_keys(view, keys);
  gboolean is_dark;
  g_object_get(gtk_widget_get_settings(view->area), "gtk-application-prefer-dark-theme", &is_dark, NULL);
  (void)area;
  draw_board(cairo, is_dark);
  cairo_translate(cairo, view->left, MARGIN);
  PangoLayout *layout = gtk_widget_create_pango_layout(view->area, NULL);
  for (size_t i = 0; i < count; i++) {
    if (keys[i].role == CUSTOM_KEYBOARD_ROLE_NODE) {
      draw_node(cairo, &keys[i], FALSE, is_dark);
      continue;
    }
    const KeyState state = !gtk_widget_is_sensitive(view->area) ? KEY_HIDDEN
                           : is_held(view, &keys[i]) ? KEY_PRESSED : KEY_READY;
    draw_key(cairo, layout, &keys[i], state, is_dark);
  }
  if (view->way) {
    cairo_set_source_surface(cairo, view->way, 0, 0);
    cairo_paint(cairo);
  }
  if (view->is_speaking && gtk_widget_has_focus(view->area) && view->chosen < count)
    draw_ring(cairo, &keys[view->chosen]);
  cairo_translate(cairo, -view->left, -MARGIN);
  if (!view->is_speaking && gtk_widget_has_visible_focus(view->area)) draw_offer(cairo, layout, offer, width, height);
  g_object_unref(layout);
  explicit_bzero(keys, sizeof keys);
}

/* The library places the keys anew, in the order that they have. */
static void resize(GtkDrawingArea *area, int width, int height, gpointer data) {
  View *view = data;
  (void)area;
  view->height = height - 2 * MARGIN;
  view->width = fmin(width - 2 * MARGIN, view->height * view->widest);
  view->left = round((width - view->width) / 2);
  CustomKeyboard_setSize(view->keyboard, view->width, view->height, COLUMN_GAP, ROW_GAP);
}

/* ---- Touch ------------------------------------------------------------------------------------------------------ */

/* Wipes the picture of the way. */
static void forget_way(View *view) {
  view->is_drawing = FALSE;
  view->last = view->joined = 0;
  if (!view->way) return;
  cairo_t *cairo = cairo_create(view->way);
  cairo_set_operator(cairo, CAIRO_OPERATOR_CLEAR);
  cairo_paint(cairo);
  cairo_destroy(cairo);
  g_clear_pointer(&view->way, cairo_surface_destroy);
}

/* Forgets which key it was, too. */
static void release(View *view) {
  forget_way(view);
  view->is_held = FALSE;
  view->held = (HeldKey){0};
  view->held_index = 0;
  g_clear_handle_id(&view->timer, g_source_remove);
  gtk_widget_queue_draw(view->area);
}

static gboolean repeat(gpointer data) {
  View *view = data;
  CustomKeyboard_pressKey(view->keyboard, view->held_index);
  view->timer = g_timeout_add(REPEAT_EVERY, repeat, view);
  return G_SOURCE_REMOVE;
}

/* Which key it is matters for the picture and for delete only: `touch` finds the key to type by itself, in this way. */
static void hold_nearest_key(View *view, double x, double y) {
  CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS];
  const size_t count = read_keys(view, keys);
  double shortest = INFINITY;
  for (size_t i = 0; i < count; i++) {
    const double dx = fmax(fmax(keys[i].x - x, x - keys[i].x - keys[i].width), 0);
    const double dy = fmax(fmax(keys[i].y - y, y - keys[i].y - keys[i].height), 0);
    if (dx * dx + dy * dy >= shortest) continue;
    shortest = dx * dx + dy * dy;
    view->held = (HeldKey){keys[i].grid, keys[i].role};
    view->held_index = i;
  }
  view->is_held = count > 0;
  explicit_bzero(keys, sizeof keys);
}

/* A key types when the finger comes down, so a second finger may come before the first is gone. */
static void press(View *view, GdkEventSequence *finger, double x, double y) {
  release(view);
  hold_nearest_key(view, x, y);
  view->finger = finger;
  if (view->is_held && view->held.role == CUSTOM_KEYBOARD_ROLE_DELETE)
    view->timer = g_timeout_add(REPEAT_AFTER, repeat, view);
  /* The last key calls the OK action, which may close this keyboard, or show another one here. */
  if (CustomKeyboard_touch(view->keyboard, x, y) != CUSTOM_KEYBOARD_OK) gtk_widget_error_bell(view->area);
}

/* ---- Patterns --------------------------------------------------------------------------------------------------- */

static gboolean shows_pattern(View *view) {
  CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS];
  const gboolean is_pattern = read_keys(view, keys) > 0 && keys[0].role == CUSTOM_KEYBOARD_ROLE_NODE;
  explicit_bzero(keys, sizeof keys);
  return is_pattern;
}

/* The finger is at the node that was joined just now. */
static void draw_joined(View *view, const CUSTOM_KEYBOARD_KEY *keys, size_t node) {
  gboolean is_dark;
  g_object_get(gtk_widget_get_settings(view->area), "gtk-application-prefer-dark-theme", &is_dark, NULL);
  if (!view->way)
    view->way = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)ceil(view->width), (int)ceil(view->height));
  cairo_t *cairo = cairo_create(view->way);
  if (view->joined > 0) {
    draw_way(cairo, &keys[view->last], &keys[node], is_dark);
    /* A node that is passed over belongs to the pattern, too. */
    if ((view->last % 3 + node % 3) % 2 == 0 && (view->last / 3 + node / 3) % 2 == 0)
      draw_node(cairo, &keys[(view->last + node) / 2], TRUE, is_dark);
    draw_node(cairo, &keys[view->last], TRUE, is_dark);
  }
  draw_node(cairo, &keys[node], TRUE, is_dark);
  cairo_destroy(cairo);
  gtk_widget_queue_draw(view->area);
}

static void join(View *view, double x, double y) {
  CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS];
  size_t count = 0;
  if (CustomKeyboard_touch(view->keyboard, x, y) != CUSTOM_KEYBOARD_OK ||
      CustomKeyboard_count(view->keyboard, &count) != CUSTOM_KEYBOARD_OK || count <= view->joined)
    return;
  const size_t nodes = read_keys(view, keys);
  for (size_t i = 0; i < nodes; i++) {
    const double dx = keys[i].x + keys[i].width / 2 - x, dy = keys[i].y + keys[i].height / 2 - y;
    if (hypot(dx, dy) > keys[i].width / 2) continue;
    draw_joined(view, keys, i);
    view->last = i;
    view->joined = count;
    break;
  }
  explicit_bzero(keys, sizeof keys);
}

/* A finger that comes down begins a new pattern. */
static void begin_pattern(View *view, GdkEventSequence *finger, double x, double y) {
  release(view);
  CustomKeyboard_clear(view->keyboard);
  view->finger = finger;
  view->is_drawing = TRUE;
  view->x = x;
  view->y = y;
  join(view, x, y);
}

/* A quick finger causes few events: the places between them count, too. */
static void follow(View *view, double x, double y) {
  const double from_x = view->x, from_y = view->y;
  const int steps = 1 + (int)(hypot(x - from_x, y - from_y) * 12 / fmax(1, fmin(view->width, view->height)));
  view->x = x;
  view->y = y;
  for (int i = 1; i <= steps && view->is_drawing; i++)
    join(view, from_x + (x - from_x) * i / steps, from_y + (y - from_y) * i / steps);
}

/* A point of the surface as one of the keys' part. The margin belongs to the nearest key, too. */
static void place(View *view, double *x, double *y) {
  GtkNative *native = gtk_widget_get_native(view->area);
  double left, top;
  gtk_native_get_surface_transform(native, &left, &top);
  gtk_widget_translate_coordinates(GTK_WIDGET(native), view->area, *x - left, *y - top, x, y);
  *x = CLAMP(*x - view->left, 0, view->width);
  *y = CLAMP(*y - MARGIN, 0, view->height);
}

/* GTK tells where the finger is once a frame, and where it was since the last one. */
static void follow_event(View *view, GdkEvent *event) {
  guint count;
  double x, y;
  GdkTimeCoord *history = gdk_event_get_history(event, &count);
  for (guint i = 0; i < count; i++) {
    x = history[i].axes[GDK_AXIS_X];
    y = history[i].axes[GDK_AXIS_Y];
    place(view, &x, &y);
    follow(view, x, y);
  }
  if (history) explicit_bzero(history, count * sizeof *history);
  g_free(history);
  gdk_event_get_position(event, &x, &y);
  place(view, &x, &y);
  follow(view, x, y);
}

static void end_pattern(View *view) {
  const size_t joined = view->joined;
  release(view);
  if (joined > 0 && view->left_pattern) view->left_pattern(view->data, view->keyboard);
}

static gboolean handle(GtkEventControllerLegacy *controller, GdkEvent *event, gpointer data) {
  View *view = data;
  GdkEventSequence *finger = gdk_event_get_event_sequence(event);
  double x, y;
  (void)controller;
  const GdkEventType type = gdk_event_get_event_type(event);
  switch (type) {
    case GDK_BUTTON_PRESS:
      if (gdk_button_event_get_button(event) != GDK_BUTTON_PRIMARY) return GDK_EVENT_PROPAGATE;
      /* fall through */
    case GDK_TOUCH_BEGIN:
      gdk_event_get_position(event, &x, &y);
      place(view, &x, &y);
      if (shows_pattern(view))
        begin_pattern(view, finger, x, y);
      else
        press(view, finger, x, y);
      return GDK_EVENT_STOP;
    case GDK_MOTION_NOTIFY:
    case GDK_TOUCH_UPDATE:
      if (!view->is_drawing || finger != view->finger) return GDK_EVENT_PROPAGATE;
      follow_event(view, event);
      return GDK_EVENT_STOP;
    case GDK_BUTTON_RELEASE:
    case GDK_TOUCH_END:
    case GDK_TOUCH_CANCEL:
    case GDK_GRAB_BROKEN:
      if (finger != view->finger) return GDK_EVENT_STOP;
      if (view->is_drawing && (type == GDK_BUTTON_RELEASE || type == GDK_TOUCH_END))
        end_pattern(view);
      else
        release(view);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
  }
}

/* ---- Without a pointer ------------------------------------------------------------------------------------------ */

/* Tells a screen reader the key that is chosen, once the person has asked for that. */
static void speak(View *view) {
  CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS];
  char name[SPOKEN_SIZE] = "Secure keyboard";
  const size_t count = gtk_widget_is_sensitive(view->area) ? read_keys(view, keys) : 0;
  view->chosen = spoken_valid(keys, count, view->chosen);
  if (view->is_speaking && count > 0) spoken_name(&keys[view->chosen], name);
  explicit_bzero(keys, sizeof keys);
  gtk_accessible_update_property(GTK_ACCESSIBLE(view->area), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, view->is_speaking ? "" : offer, -1);
  explicit_bzero(name, sizeof name);
  gtk_widget_queue_draw(view->area);
}

/* Of a pattern, the space bar joins the chosen dot, and Enter ends it. */
static void press_chosen(View *view, gboolean is_enter) {
  CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS];
  const size_t count = read_keys(view, keys);
  const gboolean is_there = view->chosen < count, is_node = is_there && keys[0].role == CUSTOM_KEYBOARD_ROLE_NODE;
  const double x = is_there ? keys[view->chosen].x + keys[view->chosen].width / 2 : 0;
  const double y = is_there ? keys[view->chosen].y + keys[view->chosen].height / 2 : 0;
  explicit_bzero(keys, sizeof keys);
  if (!is_there) return;
  if (is_node && is_enter)
    end_pattern(view);
  else if (is_node)
    join(view, x, y);
  else if (CustomKeyboard_pressKey(view->keyboard, view->chosen) != CUSTOM_KEYBOARD_OK)
    gtk_widget_error_bell(view->area);
  speak(view); /* the keys may have other places now */
}

static void choose(View *view, guint arrow) {
  CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS];
  const size_t count = read_keys(view, keys);
  if (view->chosen < count) view->chosen = spoken_next(keys, count, view->chosen, arrow);
  explicit_bzero(keys, sizeof keys);
  speak(view);
}

static gboolean press_real_key(GtkEventControllerKey *controller, guint value, guint code, GdkModifierType state,
                               gpointer data) {
  View *view = data;
  const gboolean is_enter = value == GDK_KEY_Return || value == GDK_KEY_KP_Enter;
  (void)controller, (void)code;
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)) return GDK_EVENT_PROPAGATE;
  if (!is_enter && value != GDK_KEY_space && !spoken_is_arrow(value)) return GDK_EVENT_PROPAGATE;
  if (spoken_is_arrow(value) && view->is_speaking) choose(view, value);
  if (spoken_is_arrow(value) || view->is_down) return GDK_EVENT_STOP; /* not again while it is held */
  view->is_down = TRUE;
  if (view->is_speaking) {
    press_chosen(view, is_enter);
  } else {
    view->is_speaking = TRUE;
    speak(view);
  }
  return GDK_EVENT_STOP;
}

static void release_real_key(GtkEventControllerKey *controller, guint value, guint code, GdkModifierType state,
                             gpointer data) {
  View *view = data;
  (void)controller, (void)value, (void)code, (void)state;
  view->is_down = FALSE;
}

/* ---- The widget ------------------------------------------------------------------------------------------------- */

/* A view that becomes insensitive does not hear the finger go up, and shows no labels. */
static void change_state(GtkWidget *area, GtkStateFlags before, gpointer data) {
  View *view = data;
  const gboolean is_sensitive = gtk_widget_is_sensitive(area);
  if (!is_sensitive) release(view);
  view->is_down = view->is_down && is_sensitive;
  if (view->is_speaking && is_sensitive == ((before & GTK_STATE_FLAG_INSENSITIVE) != 0)) {
    if (is_sensitive) gtk_widget_grab_focus(area);
    speak(view);
  }
  gtk_widget_queue_draw(area);
}

static void free_view(gpointer data) {
  View *view = data;
  g_clear_handle_id(&view->timer, g_source_remove);
  forget_way(view);
  g_free(view);
}

void keyboard_view_show(GtkWidget *area, CUSTOM_KEYBOARD keyboard, KeyboardViewLeft left, void *data) {
  View *view = g_object_get_data(G_OBJECT(area), "view");
  view->keyboard = keyboard;
  view->left_pattern = left;
  view->data = data;
  CustomKeyboard_setSize(keyboard, view->width, view->height, COLUMN_GAP, ROW_GAP);
  release(view);
  view->chosen = 0;
  speak(view);
}

void keyboard_view_end_speaking(GtkWidget *area) {
  View *view = g_object_get_data(G_OBJECT(area), "view");
  view->is_speaking = view->is_down = FALSE;
  speak(view);
}

GtkWidget *keyboard_view_new(double widest) {
  View *view = g_new0(View, 1);
  view->area = g_object_new(GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP, NULL);
  view->widest = widest;
  g_object_set_data_full(G_OBJECT(view->area), "view", view, free_view);
  gtk_widget_set_size_request(view->area, 240, 200);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(view->area), draw, view, NULL);
  g_signal_connect(view->area, "resize", G_CALLBACK(resize), view);
  g_signal_connect(view->area, "state-flags-changed", G_CALLBACK(change_state), view);
  GtkEventController *controller = gtk_event_controller_legacy_new();
  g_signal_connect(controller, "event", G_CALLBACK(handle), view);
  gtk_widget_add_controller(view->area, controller);
  controller = gtk_event_controller_key_new();
  g_signal_connect(controller, "key-pressed", G_CALLBACK(press_real_key), view);
  g_signal_connect(controller, "key-released", G_CALLBACK(release_real_key), view);
  gtk_widget_add_controller(view->area, controller);
  gtk_widget_set_focusable(view->area, TRUE);
  speak(view);
  return view->area;
}
