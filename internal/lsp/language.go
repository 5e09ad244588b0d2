package lsp

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Language is a group of file types that one server supports.
type Language struct {
	// Name is the display name.
	Name string
	// Program is the program of the server, which is looked up in PATH. Args are its arguments.
	Program string
	Args    []string
	// Package names the software package that contains the program, for an installation hint.
	Package string

	// Partial is set if the server searches only the files of a project and open files.
	Partial bool
	// grows is set if a second answer can contain uses that the first one lacks, because the server
	// learns the types of a file while it answers.
	grows bool
	// Diagnoses is set if the server answers requests for the problems of a file.
	Diagnoses bool
	// Macros is set if macro definitions can contain names that the server does not rename.
	Macros bool

	// files maps file name extensions to the language identifiers of the protocol.
	files map[string]string
	// projects lists names of files that describe a project. The server is notified if one changes.
	// If needsProject is set, the server finds other files only if a project file exists.
	projects     []string
	needsProject bool
	// settings are the settings of the server by section. options returns its initialization
	// options.
	settings map[string]any
	options  func(program string) any
	// environ lists additional environment variables of the server. $CACHE is replaced by its cache
	// folder.
	environ []string
}

// Languages are the supported languages.
var Languages = []Language{
	{
		Name: "Go", Program: "gopls", Package: "golang.org/x/tools/gopls",
		Diagnoses: true,
		files:     map[string]string{".go": "go"},
		projects:  []string{"go.mod", "go.sum", "go.work"},
		settings: map[string]any{"gopls": map[string]any{
			"hoverKind": "SynopsisDocumentation", "linksInHover": false, "analysisProgressReporting": false, "pullDiagnostics": true,
		}},
		environ: []string{
			"GOPROXY=off", "GOTOOLCHAIN=local", "GOSUMDB=off", "GOCACHE=$CACHE/go-build", "GOPLSCACHE=$CACHE/gopls", "GOTELEMETRY=off",
		},
	},
	{
		Name: "TypeScript", Program: "typescript-language-server", Args: []string{"--stdio"}, Package: "typescript-language-server and typescript",
		Partial: true,
		files: map[string]string{
			".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
			".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
		},
		projects: []string{"tsconfig.json", "jsconfig.json", "package.json"},
		options: func(program string) any {
			// The workspace must not choose the compiler that runs, and nothing may be downloaded.
			return map[string]any{"disableAutomaticTypingAcquisition": true, "tsserver": map[string]any{"path": besides(program, "typescript/lib/tsserver.js")}}
		},
	},
	{
		Name: "Python", Program: "pyright-langserver", Args: []string{"--stdio"}, Package: "pyright",
		Partial: true, grows: true, Diagnoses: true,
		files:    map[string]string{".py": "python", ".pyi": "python"},
		projects: []string{"pyproject.toml", "pyrightconfig.json"},
		settings: map[string]any{"python": map[string]any{"analysis": pyrightSettings}, "python.analysis": pyrightSettings},
		environ:  pyrightEnviron(),
	},
	{
		Name: "C and C++", Program: "clangd", Args: []string{"--log=error", "--background-index", "--enable-config=0"}, Package: "clangd",
		Macros: true,
		files: map[string]string{
			".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp",
		},
		projects: []string{"compile_commands.json"}, needsProject: true,
	},
}

var pyrightSettings = map[string]any{"diagnosticMode": "openFilesOnly", "autoSearchPaths": true, "useLibraryCodeForTypes": true}

// pyrightEnviron returns an environment in which pyright analyzes the code for all systems. It omits
// code for another system than the one on which it runs, and no setting changes that. On a system
// that it does not know, it omits nothing.
func pyrightEnviron() []string {
	if runtime.GOOS == "windows" { // pyright needs the true name to find Python there
		return nil
	}
	return []string{`NODE_OPTIONS=--import=data:text/javascript,Object.defineProperty(process,%22platform%22,{value:%22freebsd%22})`}
}

// besides returns the path of a file of a package that is installed beside the package of a
// program, or "" if it does not exist.
func besides(program, file string) string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	for dir := filepath.Dir(real); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		found := filepath.Join(dir, "node_modules", filepath.FromSlash(file))
		if _, err := os.Stat(found); err == nil {
			return found
		}
	}
	return ""
}

// LanguageOf returns the language of a file.
func LanguageOf(path string) (Language, bool) {
	for _, l := range Languages {
		if l.MatchesFile(path) {
			return l, true
		}
	}
	return Language{}, false
}

// MatchesFile reports whether a file belongs to the language.
func (l Language) MatchesFile(path string) bool {
	_, known := l.files[strings.ToLower(filepath.Ext(path))]
	return known
}

// Concerns reports whether a file belongs to the language or describes a project of it. The server
// must be notified when such a file changes.
func (l Language) Concerns(path string) bool {
	return l.MatchesFile(path) || slices.Contains(l.projects, filepath.Base(path))
}

// Count returns the number of files of the language. It returns 0 if the server also needs a
// project file, and there is none.
func (l Language) Count(files []string) (count int) {
	project := !l.needsProject
	for _, file := range files {
		if l.MatchesFile(file) {
			count++
		} else if l.Concerns(file) {
			project = true
		}
	}
	if !project {
		return 0
	}
	return count
}
