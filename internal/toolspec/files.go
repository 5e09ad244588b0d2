package toolspec

import "agent/internal/text/patch"

// Arguments are the arguments of a call. Arg returns the one of a name, as JSON decodes it into an
// any, and whether the call has it.
type Arguments interface {
	Arg(name string) (value any, given bool)
}

// FilesOf returns the files that a call names, as the model wrote them: the file in a parameter,
// the files of a list, and the files of a patch, both ends of a move and deletions among them
// (D-96).
func (t Traits) FilesOf(call Arguments) []string { return t.AppendFiles(nil, call) }

// AppendFiles appends the files of FilesOf to files.
func (t Traits) AppendFiles(files []string, call Arguments) []string {
	if file := firstText(call, t.File); file != "" {
		files = append(files, file)
	}
	for _, name := range t.Files {
		listed, _ := call.Arg(name)
		items, _ := listed.([]any)
		for _, item := range items {
			if file, ok := item.(string); ok && file != "" {
				files = append(files, file)
			}
		}
	}
	for _, name := range t.Patch {
		files = append(files, patch.Paths(firstText(call, []string{name}))...)
	}
	return files
}

// firstText returns the first of the named arguments that is a text, "" for none.
func firstText(call Arguments, names []string) string {
	for _, name := range names {
		value, _ := call.Arg(name)
		if text, ok := value.(string); ok && text != "" {
			return text
		}
	}
	return ""
}
