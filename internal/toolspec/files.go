package toolspec

import "agent/internal/text/patch"

// Arguments contains the arguments of a call. Arg returns the argument with a name, decoded from
// JSON, and whether the call has it.
type Arguments interface {
	Arg(name string) (value any, given bool)
}

// FilesOf returns the files that a call names, as the model wrote them. They are the file in a
// parameter, the files of a list, and the files of a patch. They include deleted files and both
// names of a moved file (D-96).
func (t Traits) FilesOf(call Arguments) []string { return t.AppendFiles(nil, call) }

// AppendFiles appends the result of FilesOf to files.
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
