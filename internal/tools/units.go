package tools

// Units says what density may take out of a conversation of a call of this tool, by the
// names of its parameters. Together with Kind and Access it is all that pruning knows
// about a tool; what an answer shows of a file the answer says itself, see [Shown].
type Units struct {
	// From and To name the first and last line that is read, Count how many there are.
	From, To, Count string
	// Headed says that an answer that is not all that was asked for begins with a line
	// in brackets; Fragment that what is read is named otherwise than by lines.
	Headed, Fragment bool
	// Old and New name the texts of an edit, Body the whole content that is written.
	Old, New, Body string
	// Command names the command line of a shell tool.
	Command string
}

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
