package session

import (
	"fmt"
	"slices"
)

// FirstNotices are the first of what is wrong with a log, and how much more there is: of a badly
// damaged one nobody reads it all.
func FirstNotices(notices []string) []string {
	const most = 5
	if len(notices) <= most+1 {
		return notices
	}
	return append(slices.Clone(notices[:most]), fmt.Sprintf("and %d more such lines; what could be read is there", len(notices)-most))
}
