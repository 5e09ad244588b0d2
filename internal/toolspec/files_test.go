package toolspec

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/base/arguments"
)

// FilesOf accepts exactly the arguments that name files.
func TestFilesOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		tool Traits
		args string
		want []string
	}{
		{"the first parameter that has one", Traits{File: FileNames}, `{"path":"b","absolute_path":"a","file_path":""}`, []string{"a"}},
		{"a list", Traits{Files: []string{"paths"}}, `{"paths":["a","",1,"b"]}`, []string{"a", "b"}},
		{
			"a patch, both ends of a move",
			Traits{Density: Density{Patch: []string{"input"}}},
			`{"input":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch"}`,
			[]string{"a", "b", "c"},
		},
		{"a text that is no patch", Traits{Density: Density{Patch: []string{"input"}}}, `{"input":"*** Update File: a"}`, nil},
		{"a parameter that is no text", Traits{File: FileNames}, `{"file_path":7}`, nil},
		{"a tool that declares nothing", Traits{}, `{"file_path":"a"}`, nil},
		{"no object", Traits{File: FileNames}, `["a"]`, nil},
	} {
		if diff := cmp.Diff(c.want, c.tool.FilesOf(arguments.Parse(c.args))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
