package tui

// Themes lists the values of the setting theme: what the ground of the terminal
// is like, or that the program should find out.
func Themes() []string { return []string{"auto", "dark", "light"} }
