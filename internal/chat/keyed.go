package chat

// standing returns the number of the entry, from 1, in which the newest content of a key
// is in the context, if that is this text; else 0.
func (r *runner) standing(key, text string) int {
	if key == "" {
		return 0
	}
	entries := r.History.RawHistory()
	for i := len(entries) - 1; i >= 0; i-- {
		if content, found := entries[i].Keyed(key); found {
			if content == text {
				return i + 1
			}
			return 0
		}
	}
	return 0
}
