/*
 * Widgets of GTK, and no decisions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "window.h"

#include "keyboard_view.h"

static const char style_sheet[] =
    "window { background: #ffffff; } window.dark { background: #131417; } .page { padding: 16px; }"
    ".agreement { padding: 8px 16px; }"
    ".dots { font-size: 20px; letter-spacing: 6px; color: #1f5fd0; } window.dark .dots { color: #5b92f5; }";

void window_say(GtkWidget *label, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  gtk_label_set_text(GTK_LABEL(label), *text ? text : " "); /* an empty one is read out as "GtkLabel" */
}

void window_show_count(Window *window, size_t count, size_t maximum) {
  GString *dots = g_string_new(NULL);
  for (size_t i = 0; i < count; i++) g_string_append(dots, "●");
  g_string_append(dots, "<span alpha='25%'>");
  for (size_t i = count; i < maximum; i++) g_string_append(dots, "●");
  g_string_append(dots, "</span>");
  gtk_label_set_markup(GTK_LABEL(window->dots), dots->str);
  /* What a screen reader says in place of the dots. */
  g_string_printf(dots, "%zu characters typed", count);
  gtk_accessible_update_property(GTK_ACCESSIBLE(window->dots), GTK_ACCESSIBLE_PROPERTY_LABEL, dots->str, -1);
  g_string_free(dots, TRUE);
}

void window_hide_count(Window *window) {
  gtk_accessible_reset_property(GTK_ACCESSIBLE(window->dots), GTK_ACCESSIBLE_PROPERTY_LABEL);
  window_say(window->dots, "%s", "");
}

static GtkWidget *place_of_agreement(Window *window) {
  return gtk_widget_get_ancestor(window->agreement, GTK_TYPE_SCROLLED_WINDOW);
}

static gboolean look_at_agreement(GtkWidget *place, GdkFrameClock *clock, gpointer data) {
  Window *window = data;
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(place));
  const double size = gtk_adjustment_get_page_size(adjustment);
  (void)clock;
  if (window->is_read || size == 0) return G_SOURCE_REMOVE;
  window->is_read = gtk_adjustment_get_value(adjustment) + size >= gtk_adjustment_get_upper(adjustment) - 1;
  window_say(window->message, "%s", window->is_read ? "" : "Read the text to its end.");
  gtk_widget_set_sensitive(window->view, window->is_allowed && window->is_read);
  return G_SOURCE_REMOVE;
}

/* Another part of the agreement may be on the screen, or it has got its place: GTK is just giving widgets theirs, so
 * that no label may change before the next frame. */
static void look_at_next_frame(GtkAdjustment *adjustment, gpointer data) {
  Window *window = data;
  (void)adjustment;
  gtk_widget_add_tick_callback(place_of_agreement(window), look_at_agreement, window, NULL);
}

void window_show_agreement(Window *window, const char *text) {
  GtkWidget *place = place_of_agreement(window);
  /* Until it has a place for this text. */
  gtk_adjustment_configure(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(place)), 0, 0, 0, 0, 0, 0);
  window->is_read = *text == '\0';
  window_say(window->agreement, "%s", text);
  gtk_widget_set_visible(place, *text != '\0');
}

void window_let_type(Window *window, gboolean is_allowed) {
  window->is_allowed = is_allowed;
  gtk_widget_set_sensitive(window->view, is_allowed && window->is_read);
  if (is_allowed) gtk_widget_set_visible(window->button, FALSE);
}

void window_offer(Window *window, const char *label, void (*next)(void *data), void *data) {
  window->next = next;
  window->data = data;
  gtk_button_set_label(GTK_BUTTON(window->button), label);
  gtk_widget_set_visible(window->button, TRUE);
  window_let_type(window, FALSE);
}

static void press_button(GtkButton *button, gpointer data) {
  Window *window = data;
  gtk_widget_set_visible(GTK_WIDGET(button), FALSE);
  window->next(window->data);
}

static GtkWidget *add_label(GtkWidget *box, const char *style) {
  GtkWidget *label = gtk_label_new("");
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_justify(GTK_LABEL(label), GTK_JUSTIFY_CENTER);
  gtk_widget_add_css_class(label, style);
  gtk_box_append(GTK_BOX(box), label);
  return label;
}

void window_build(Window *window, int width, int height, double widest) {
  g_autoptr(GtkCssProvider) style = gtk_css_provider_new();
  gtk_css_provider_load_from_data(style, style_sheet, -1);
  gtk_style_context_add_provider_for_display(gdk_display_get_default(), GTK_STYLE_PROVIDER(style),
                                             GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  GtkWidget *text = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
  gtk_widget_set_valign(text, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(text, "page");
  window->title = add_label(text, "title-1");
  window->prompt = add_label(text, "body");
  window->dots = add_label(text, "dots");
  gtk_label_set_wrap(GTK_LABEL(window->dots), FALSE);
  gtk_label_set_ellipsize(GTK_LABEL(window->dots), PANGO_ELLIPSIZE_START);
  window->message = add_label(text, "error");
  window->button = gtk_button_new();
  gtk_widget_set_visible(window->button, FALSE);
  gtk_widget_set_halign(window->button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(window->button, "suggested-action");
  g_signal_connect(window->button, "clicked", G_CALLBACK(press_button), window);
  gtk_box_append(GTK_BOX(text), window->button);

  GtkWidget *page = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_set_homogeneous(GTK_BOX(page), TRUE);
  gtk_box_append(GTK_BOX(page), text);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), *place = gtk_scrolled_window_new();
  window->agreement = add_label(box, "agreement");
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(place), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_overlay_scrolling(GTK_SCROLLED_WINDOW(place), FALSE);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(place), box);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(place));
  g_signal_connect(adjustment, "changed", G_CALLBACK(look_at_next_frame), window);
  g_signal_connect(adjustment, "value-changed", G_CALLBACK(look_at_next_frame), window);
  gtk_box_append(GTK_BOX(page), place);
  window->view = keyboard_view_new(widest);
  gtk_box_append(GTK_BOX(page), window->view);

  window->window = gtk_window_new();
  gtk_window_set_title(GTK_WINDOW(window->window), "Bank");
  gtk_window_set_default_size(GTK_WINDOW(window->window), width, height);
  gtk_window_set_child(GTK_WINDOW(window->window), page);
  gboolean is_dark;
  g_object_get(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", &is_dark, NULL);
  if (is_dark) gtk_widget_add_css_class(window->window, "dark");
  window->is_allowed = FALSE;
  window_show_agreement(window, "");
}
