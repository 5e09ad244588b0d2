package disk

import "strings"

// Within reports whether a clean path is folder or below it. It uses the
// names alone and allocates nothing.
func Within(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return path == folder || ok && strings.HasPrefix(rest, "/")
}
