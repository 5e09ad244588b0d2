package tools

// Shown is what the model knows of a file after an answer.
type Shown struct {
	// Path is absolute.
	Path string
	// From and To are the first and last line that the answer shows, 0 where it shows
	// none or no line whole; Whole says that these are all.
	From, To int
	Whole    bool
	// Content is the file as it is now, nil when it is too large to be held.
	Content []byte
}

// shown is what an answer shows of a file that was read.
func (s *source) shown(from, to int, whole bool) *Shown {
	return &Shown{Path: s.abs, From: from, To: to, Whole: whole, Content: s.whole}
}
