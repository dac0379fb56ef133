/*
 * A keyboard as it should not be: each key is a widget with a label, which the accessibility tree then has. The control
 * of the test that looks for labels there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gtk/gtk.h>

int main(void) {
  gtk_init();
  GtkWidget *window = gtk_window_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  for (int digit = 0; digit < 10; digit++) {
    char label[2] = {(char)('0' + digit), 0};
    GtkWidget *key = gtk_drawing_area_new();
    if (digit % 2)
      key = gtk_button_new_with_label(label);
    else
      gtk_accessible_update_property(GTK_ACCESSIBLE(key), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, label, -1);
    gtk_box_append(GTK_BOX(box), key);
  }
  gtk_window_set_child(GTK_WINDOW(window), box);
  gtk_window_present(GTK_WINDOW(window));
  while (g_list_model_get_n_items(gtk_window_get_toplevels()) > 0) g_main_context_iteration(NULL, TRUE);
}
