package lexer

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/google/go-cmp/cmp"
)

// leftOut has the lexers of chroma that can't be converted to a file.
var leftOut = []string{"Haxe", "HTTP", "Raku", "reStructuredText"}

// Every name and file name in chroma finds the same language here.
func TestNames(t *testing.T) {
	t.Parallel()
	claims := map[string]int{}
	for _, theirs := range lexers.GlobalLexerRegistry.Lexers {
		for _, pattern := range theirs.Config().Filenames {
			claims[pattern]++
		}
	}
	for _, theirs := range lexers.GlobalLexerRegistry.Lexers {
		config := theirs.Config()
		if slices.Contains(leftOut, config.Name) {
			if ByName(config.Name) != nil {
				t.Errorf("%s is there", config.Name)
			}
			continue
		}
		for _, word := range append([]string{config.Name, strings.ToUpper(config.Name)}, config.Aliases...) {
			want := lexers.Get(word).Config().Name
			if got := ByName(word); got == nil || got.Config().Name != want && !slices.Contains(leftOut, want) {
				t.Errorf("%q is %v, want %s", word, got, want)
			}
		}
		for i, pattern := range config.Filenames {
			if i > 0 && claims[pattern] == 1 {
				continue // TestArchive compares all lexers; this comparison shows which lexer has priority
			}
			name := strings.NewReplacer("*", "x", "[345]", "4").Replace(pattern)
			want := lexers.Match(name)
			if got := ForFile("some/" + name); want != nil && !slices.Contains(leftOut, want.Config().Name) && (got == nil || got.Config().Name != want.Config().Name) {
				t.Errorf("the file %s has %v, want %s", name, got, want.Config().Name)
			}
		}
	}
	for word, want := range map[string]string{"go": "Go", "GoLang": "Go", "py": "Python", "tsx": "TypeScript", "sh": "Bash", "Dockerfile": "Docker", "h": "C", "md": "markdown"} {
		if got := ByName(word); got == nil || got.Config().Name != want {
			t.Errorf("%q is %v, want %s", word, got, want)
		}
	}
	for _, word := range []string{"", "no such language", "[", "\x00"} {
		if got := ByName(word); got != nil {
			t.Errorf("%q is %v", word, got)
		}
	}
}

var samples = map[string]string{
	"go":         "package main\n\nimport \"fmt\"\n\n// Main.\nfunc main() { x := 0x1f; fmt.Println('a', \"b\\n\", x) /* c */ }\n",
	"python":     "import os\n@dec\ndef f(a: int) -> str:\n    \"\"\"doc\"\"\"\n    return f'{a!r}' # c\n",
	"javascript": "const f = async (x) => `a${x}b`; // c\nclass A extends B { /re/g }\n",
	"typescript": "interface A { b?: string }\nfunction f<T>(x: T): T { return x }\n",
	"html":       "<!doctype html><p class=\"a\">b &amp; c</p><script>let x = 1;</script><style>p { color: red }</style>\n",
	"css":        "@media print { p > a:hover { color: #fff; margin: 0 auto } }\n",
	"bash":       "for f in *.txt; do echo \"${f%.txt}\" | grep -v '^#'; done # c\n",
	"rust":       "fn main() -> Result<(), Box<dyn Error>> { let x: u8 = 1; println!(\"{x}\"); Ok(()) }\n",
	"c":          "#include <stdio.h>\nint main(void) { return printf(\"%d\", 1L); } // c\n",
	"java":       "public final class A<T> { /** d */ @Override int f() { return 'c'; } }\n",
	"ruby":       "class A < B\n  def f(x) = \"a#{x}\" # c\nend\n",
	"phtml":      "<p><?php echo \"a$b\"; // c\n?></p>\n",
	"sql":        "SELECT a, count(*) FROM t WHERE b = 'c' -- d\n",
	"yaml":       "a:\n  - b: \"c\" # d\n",
	"json":       "{\"a\": [1, true, null]}\n",
	"toml":       "[a]\nb = 1 # c\n",
	"markdown":   "# Head\n\nSome `code` and **bold**\n\n- item\n",
	"docker":     "FROM a AS b\nRUN make && ls\n",
	"make":       "all: a\n\tgcc -o $@ $<\n",
	"diff":       "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n",
	"svelte":     "<script>let a = 1</script>\n<p>{a}</p>\n",
	"erb":        "<p><%= a.b %></p>\n",
}

// Our lexers return the same tokens as chroma's.
func TestTokens(t *testing.T) {
	t.Parallel()
	for language, code := range samples {
		want, err := chroma.Tokenise(chroma.Coalesce(lexers.Get(language)), nil, code)
		must(t, err)
		got, err := chroma.Tokenise(chroma.Coalesce(ByName(language)), nil, code)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", language, diff)
		}
	}
}

// Every referenced lexer exists. Otherwise chroma panics in the middle of a text.
func TestReferences(t *testing.T) {
	t.Parallel()
	entries := collected().entries
	for _, e := range entries {
		for _, name := range append(slices.Clone(e.Uses), e.Over) {
			if name != "" && !slices.ContainsFunc(entries, func(other entry) bool { return other.Name == name }) {
				t.Errorf("%s refers to %s, which is not there", e.Name, name)
			}
		}
	}
}
