package tools

import "regexp"

// looker describes a program that only looks: which of its options are harmless
// and what its other words are. An option that is not listed makes a command one
// that has to be asked about, so a list need not be complete, only right: nothing
// in it may write, run a program, follow symlinks it meets, read a list of files,
// or wait for ever.
type looker struct {
	// flags are one-letter options; valued are those with a value attached (-n5)
	// that is not a path.
	flags, valued string
	// number allows a number as an option (-20).
	number bool
	// long are long options without their dashes, with "=" where a value follows.
	long []string
	// words are options of several letters behind a single dash.
	words []string
	// most is how many operands there may be.
	most int
	// first is what the first operand must look like.
	first *regexp.Regexp
	// namesOnly means that operands are never paths.
	namesOnly bool
	// anyWords means that whatever follows is harmless.
	anyWords bool
}

// unlimited is for looker.most.
const unlimited = -1

var gitDiffOptions = []string{
	"cached", "staged", "stat", "stat=", "numstat", "shortstat", "summary", "name-only", "name-status",
	"patch", "no-patch", "unified=", "word-diff", "word-diff=", "color", "color=", "no-color",
	"ignore-all-space", "ignore-space-change", "ignore-blank-lines", "no-renames", "find-renames",
	"diff-filter=", "no-ext-diff", "no-textconv", "minimal", "patience", "histogram", "check",
	"exit-code", "quiet", "full-index", "merge-base",
}

var gitLogOptions = append([]string{
	"oneline", "graph", "all", "decorate", "decorate=", "no-decorate", "format=", "pretty", "pretty=",
	"since=", "until=", "after=", "before=", "author=", "committer=", "grep=", "max-count=", "skip=",
	"follow", "merges", "no-merges", "first-parent", "reverse", "abbrev-commit", "date=", "branches",
	"tags", "remotes", "relative-date",
}, gitDiffOptions...)

var grepOptions = []string{
	"ignore-case", "invert-match", "word-regexp", "line-regexp", "count", "files-with-matches",
	"files-without-match", "line-number", "with-filename", "no-filename", "only-matching", "quiet",
	"recursive", "extended-regexp", "fixed-strings", "perl-regexp", "include=", "exclude=",
	"exclude-dir=", "max-count=", "context=", "after-context=", "before-context=", "color=", "text",
}

// lookers are the programs that only look.
var lookers = map[string]looker{
	"true":     {anyWords: true, namesOnly: true},
	"false":    {anyWords: true, namesOnly: true},
	"echo":     {anyWords: true, namesOnly: true},
	"pwd":      {flags: "LP"},
	"whoami":   {},
	"hostname": {},
	"nproc":    {long: []string{"all"}},
	"uname":    {flags: "asnrvmpio"},
	"date":     {flags: "uR", most: 1, first: regexp.MustCompile(`^\+`), namesOnly: true},
	"which":    {flags: "a", most: unlimited, namesOnly: true},
	"type":     {flags: "apt", most: unlimited, namesOnly: true},
	"basename": {most: unlimited, namesOnly: true},
	"dirname":  {most: unlimited, namesOnly: true},
	"tr":       {flags: "cds", most: 2, namesOnly: true},

	"ls": {flags: "1aAlhrtSRFdGisnpogUXkcuv", most: unlimited, long: []string{
		"all", "almost-all", "human-readable", "recursive", "reverse", "directory", "sort=", "time=",
		"time-style=", "color", "color=", "size", "inode", "classify", "group-directories-first",
	}},
	"tree": {flags: "adfihsDCFpn", valued: "LIP", most: unlimited, long: []string{
		"dirsfirst", "noreport", "gitignore", "prune",
	}},
	"stat":      {flags: "t", valued: "c", most: unlimited, long: []string{"format=", "printf=", "terse"}},
	"file":      {flags: "bi", most: unlimited, long: []string{"brief", "mime", "mime-type"}},
	"du":        {flags: "shackb", valued: "d", most: unlimited, long: []string{"summarize", "human-readable", "max-depth=", "all"}},
	"df":        {flags: "hTik", most: unlimited},
	"readlink":  {flags: "fem", most: unlimited},
	"realpath":  {flags: "ems", most: unlimited},
	"sha256sum": {most: unlimited},
	"md5sum":    {most: unlimited},

	"cat":  {flags: "nbsETAvet", most: unlimited},
	"head": {flags: "qv", valued: "nc", number: true, most: unlimited, long: []string{"lines=", "bytes="}},
	"tail": {flags: "qv", valued: "nc", number: true, most: unlimited, long: []string{"lines=", "bytes="}},
	"wc":   {flags: "lwcmL", most: unlimited, long: []string{"lines", "words", "bytes", "chars"}},
	"nl":   {valued: "bw", most: unlimited},
	"od":   {flags: "cxb", valued: "ANtj", most: unlimited},
	"cut":  {flags: "s", valued: "dfcb", most: unlimited},
	"sort": {flags: "nrufbdghMVc", valued: "kt", most: unlimited},
	"uniq": {flags: "cdui", valued: "fsw", most: 1},
	"cmp":  {flags: "sl", most: 2},
	"sed":  {flags: "nE", most: unlimited, first: regexp.MustCompile(`^\d+(,(\d+|\$))?p$`)},

	"grep":  {flags: "irnvwxclLHhoqsEFPGabI", valued: "ABCme", number: true, most: unlimited, long: grepOptions},
	"egrep": {flags: "irnvwxclLHhoqsabI", valued: "ABCme", number: true, most: unlimited, long: grepOptions},
	"fgrep": {flags: "irnvwxclLHhoqsabI", valued: "ABCme", number: true, most: unlimited, long: grepOptions},
	"rg": {flags: "inNsSvwxclhHoFUPuI.", valued: "ABCmegtTdrj", most: unlimited, long: []string{
		"ignore-case", "smart-case", "case-sensitive", "line-number", "no-line-number", "files",
		"files-with-matches", "files-without-match", "count", "count-matches", "hidden", "no-ignore",
		"glob=", "iglob=", "type=", "type-not=", "type-list", "fixed-strings", "word-regexp",
		"invert-match", "only-matching", "multiline", "json", "stats", "max-count=", "max-depth=",
		"context=", "after-context=", "before-context=", "sort=", "heading", "no-heading", "color=",
		"no-filename", "with-filename", "replace=",
	}},
	"find": {most: unlimited, words: []string{
		"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-type", "-maxdepth",
		"-mindepth", "-depth", "-size", "-empty", "-mtime", "-mmin", "-newer", "-perm", "-user", "-group",
		"-readable", "-writable", "-executable", "-xdev", "-prune", "-print", "-print0", "-printf", "-ls",
		"-not", "-a", "-and", "-o", "-or", "-true", "-false",
	}},

	"go version": {},
	"go env":     {most: unlimited, namesOnly: true},

	"git status": {flags: "sb", valued: "u", most: unlimited, long: []string{
		"short", "branch", "porcelain", "porcelain=",
		"untracked-files", "untracked-files=", "ignored", "long",
	}},
	"git diff":      {flags: "pwbuRM", valued: "USG", most: unlimited, long: gitDiffOptions},
	"git log":       {flags: "pwbuiM", valued: "nUSGL", number: true, most: unlimited, long: gitLogOptions},
	"git show":      {flags: "pwbusM", valued: "nUSG", number: true, most: unlimited, long: gitLogOptions},
	"git blame":     {flags: "wMCsefl", valued: "L", most: unlimited},
	"git grep":      {flags: "inlcwEFvhHoP", valued: "ABCe", most: unlimited},
	"git branch":    {flags: "avr", long: []string{"all", "remotes", "verbose", "list", "show-current"}},
	"git tag":       {flags: "l", long: []string{"list"}},
	"git remote":    {flags: "v", long: []string{"verbose"}},
	"git reflog":    {number: true},
	"git rev-parse": {most: unlimited, long: []string{"show-toplevel", "show-prefix", "abbrev-ref", "short", "verify", "is-inside-work-tree", "git-dir"}},
	"git rev-list":  {valued: "n", number: true, most: unlimited, long: []string{"count", "all", "max-count="}},
	"git ls-files":  {flags: "cdmoz", most: unlimited, long: []string{"cached", "deleted", "modified", "others", "exclude-standard"}},
	"git ls-tree":   {flags: "rdtlz", most: unlimited, long: []string{"name-only", "full-tree"}},
	"git describe":  {most: unlimited, long: []string{"tags", "always", "dirty", "long", "abbrev="}},
	"git cat-file":  {flags: "pts", most: 2},
}
