/* The measure of start-up: what a C program costs that does nothing. */
int main(void) { return 0; }
