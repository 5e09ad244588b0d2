package outline

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// language holds the patterns of declarations in a language. The first group of each pattern is the
// name.
type language struct {
	name       string
	extensions []string
	patterns   []*regexp.Regexp
	ends       blockEnd
}

// notNames lists keywords that look like the name of a function at the beginning of a statement.
var notNames = []string{"if", "for", "while", "switch", "catch", "return", "else", "new", "throw", "do", "with", "foreach", "using", "lock", "when", "match", "await", "sizeof", "function"}

func (l language) declares(line string) (string, bool) {
	for _, pattern := range l.patterns {
		if m := pattern.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil && !slices.Contains(notNames, m[1]) {
			return strings.ReplaceAll(strings.TrimSpace(m[1]), "::", "."), true
		}
	}
	return "", false
}

func languageOf(rel string) (language, bool) {
	extension := strings.ToLower(filepath.Ext(rel))
	all := languages()
	i := slices.IndexFunc(all, func(l language) bool { return slices.Contains(l.extensions, extension) })
	if i < 0 {
		return language{}, false
	}
	return all[i], true
}

// languages compiles the patterns at the first outline, since most sessions need none.
var languages = sync.OnceValue(func() []language {
	return []language{
		{"Python", []string{".py", ".pyi"}, patterns(
			`^\s*(?:async\s+)?(?:def|class)\s+(\w+)`,
		), byIndentation},
		{"Ruby", []string{".rb", ".rake"}, patterns(
			`^\s*(?:def|class|module)\s+([\w.:?!=]+)`,
		), byIndentation},
		{"JavaScript or TypeScript", []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"}, patterns(
			`^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:const\s+)?(?:async\s+)?(?:function\b\s*\*?|class\b|interface\b|enum\b|namespace\b)\s*([\w$]+)`,
			`^\s*(?:export\s+)?(?:declare\s+)?type\s+([\w$]+)\b[^=]*=`,
			`^\s*(?:export\s+)?(?:const|let|var)\s+([\w$]+)[^=]*=\s*(?:async\s*)?(?:function\b|class\b|\([^)]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)`,
			`^export\s+(?:const|let|var)\s+([\w$]+)`,
			`^\s+(?:(?:public|private|protected|static|async|readonly|override|get|set)\s+)*\*?(#?[\w$]+)\s*(?:<[^>]*>)?\([^;]*\)\s*(?::\s*[^{;]+)?\{`,
		), byBraces},
		{"Rust", []string{".rs"}, patterns(
			`^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|async|unsafe|const|extern)\s+)*(?:fn|struct|enum|trait|mod|type|union)\s+(\w+)`,
			`^\s*(?:unsafe\s+)?impl\b\s*(?:<[^{]*?>\s)?\s*([^{]+?)\s*(?:\bwhere\b.*)?\{?$`,
			`^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const|static)\s+(?:mut\s+)?(\w+)\s*:`,
			`^\s*macro_rules!\s*(\w+)`,
		), byBraces},
		{"Java, Kotlin, C# or the like", []string{".java", ".kt", ".kts", ".cs", ".scala", ".swift", ".php", ".dart", ".groovy"}, patterns(
			`^\s*(?:@\w+(?:\([^)]*\))?\s+)*`+modifiers+`(?:class|interface|@interface|enum(?:\s+class)?|record|struct|trait|object|namespace|protocol|extension|fun|func|def|function)\s+([\w.]+)`,
			`^\s+(?:@\w+\s+)*`+modifiers+`(?:[\w.?]+(?:<[^;=]*>)?(?:\[\])*\s+)+(\w+)\s*\([^;=]*\)?\s*(?:throws\s+[\w,.\s]+)?\{?\s*$`,
		), byBraces},
		{"C or C++", []string{".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".mm"}, patterns(
			`^\s*(?:typedef\s+)?(?:struct|class|enum(?:\s+class)?|union|namespace)\s+([\w:]+)\s*(?:final\s*)?(?::[^;]*)?\{?\s*$`,
			`^#\s*define\s+(\w+)`,
			`^[A-Za-z_][\w\s*&:<>,]*?[\s*&]([\w:~]+)\s*\([^;]*$`,
		), byBraces},
		{"shell", []string{".sh", ".bash", ".zsh"}, patterns(
			`^\s*(?:function\s+)?([\w:.-]+)\s*\(\s*\)`,
			`^\s*function\s+([\w:.-]+)`,
		), byBraces},
	}
})

// modifiers matches the words before a declaration in languages similar to Java.
const modifiers = `(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|partial|export|override|inline|suspend|async|virtual|readonly|unsafe|default|synchronized|native|case|implicit|fileprivate|mutating)\s+)*`

func patterns(sources ...string) []*regexp.Regexp {
	compiled := make([]*regexp.Regexp, len(sources))
	for i, source := range sources {
		compiled[i] = regexp.MustCompile(source)
	}
	return compiled
}
