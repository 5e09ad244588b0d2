package atcmd

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/history"
	"agent/internal/text/notebook"
)

// Options describes the workspace and what the model supports.
type Options struct {
	// Root is the workspace folder; relative paths start there.
	Root string
	// NoImages is the reason not to send images, such as "the model x takes none". It is empty if
	// images may be sent.
	NoImages string
	// Shown is called with every file whose content becomes part of the message: the path below
	// Root, with symlinks followed, and the content. It may be nil.
	Shown func(path string, content []byte)
	// Kept returns the reason not to send the text of a file, or "" if it may be sent. Its argument
	// is the path below Root with symlinks followed. A file with a reason is included only if the
	// user types its own name and denied is false. Being in a folder, matching a pattern, being the
	// target of a link, or being named by a command or skill does not suffice (D-60, D-121). If
	// Kept is nil, every file may be sent.
	Kept func(path string) (why string, denied bool)
	// PDF returns the text of pages of a PDF. If whole is set, the model receives the file itself
	// instead. If PDF is nil, no PDF is included.
	PDF func(ctx context.Context, name string, content []byte, pages PageRange) (text string, whole bool, err error)
	// Unattended is set if no user can correct the message. A mention that names no file then stays
	// text.
	Unattended bool
	// Elsewhere reports whether a mention that names no file names something else, which the caller
	// includes. If Elsewhere is nil, no mention does.
	Elsewhere func(mention string) bool
}

// Expansion is a message with its files.
type Expansion struct {
	// Blocks holds the user's text as it was typed, except for the backslash of \@. Data has
	// separate blocks. Then one block follows for each file, in the order in which the files are
	// named.
	Blocks []history.Block
	// Included lists the files, in the order of their blocks.
	Included []IncludedFile
	// Skipped lists the paths that were named but not included.
	Skipped []SkippedPath
	// Elsewhere lists the mentions of things other than files.
	Elsewhere []string
	// Reply answers the message in place of the model. If it is nil, the model answers.
	Reply func(ctx context.Context) (string, error)
}

// IncludedFile is a file that is part of the message.
type IncludedFile struct {
	// Path is the path as the user named it. For a file of a folder, it is the folder as named
	// and the path from there.
	Path string
	// Lines is the number of lines of the text, 0 for an image.
	Lines int
	Bytes int
	// Hash is the history.Digest of an image or a PDF, since the message does not contain its text
	// unchanged.
	Hash string
}

// SkippedPath is a path that was not included. Reason follows the words "it was omitted because" in a
// message.
type SkippedPath struct{ Path, Reason string }

// Expand reads the files that the typed parts of message mention. It returns a *MissingError if
// something that looks like a path of this workspace names nothing, and the error of ctx if ctx
// ended. Skipped lists everything else that cannot be included. A file that is named twice is
// included once, even if the spellings differ.
func Expand(ctx context.Context, message Message, options Options) (Expansion, error) {
	passages := message.passages()
	var said Expansion
	for _, p := range passages {
		said.Blocks = append(said.Blocks, p.block(len(passages) == 1))
	}
	images, included, err := images(message, options.NoImages)
	if err != nil {
		return Expansion{}, err
	}
	said.Blocks, said.Included = append(said.Blocks, images...), included
	if !slices.ContainsFunc(passages, passage.mayMention) && !slices.ContainsFunc(message, func(p Part) bool { return p.File != "" }) {
		return said, nil
	}
	space, err := openWorkspace(ctx, options.Root)
	if err != nil {
		return Expansion{}, err
	}
	space.resource = options.Elsewhere
	tree, err := fsutil.OpenTree(space.root)
	if err != nil {
		return Expansion{}, fmt.Errorf("can't use the workspace %s: %w", options.Root, err)
	}
	defer tree.Close()

	e := &expander{workspace: space, tree: tree, options: options, seen: map[string]bool{}, result: said, images: len(images)}
	for _, p := range passages {
		if err := e.passage(ctx, p); err != nil {
			return Expansion{}, err
		}
	}
	for _, part := range message {
		if part.File != "" {
			if e.workspace.exists(part.File) || isGlob(part.File) && e.workspace.matches(part.File) {
				e.include(part.File, false, PageRange{})
			} else {
				e.skip("@"+part.File, noSuchFile)
			}
		}
	}
	if len(e.missing) > 0 {
		return Expansion{}, &MissingError{e.missing}
	}
	return e.result, nil
}

// noSuchFile is the reason for skipping a mention that names no file.
const noSuchFile = "there is no such file; agent sent the mention as plain text"

// mayMention reports whether the passage can contain mentions.
func (p passage) mayMention() bool { return p.source == "" && strings.Contains(p.text, "@") }

// passage includes the files that a passage mentions.
func (e *expander) passage(ctx context.Context, p passage) error {
	if !p.mayMention() {
		return nil
	}
	mentions := parse(p.text, p.data, e.workspace)
	if len(mentions) == maxMentions {
		e.skip("@", fmt.Sprintf("agent reads only the first %d mentions in a message", maxMentions))
	}
	for _, m := range mentions {
		switch {
		case m.found:
			e.include(m.path, true, m.pages)
		case e.workspace.isResource(m.path):
			e.result.Elsewhere = append(e.result.Elsewhere, m.path)
		case e.options.Unattended || !m.looksLikePath() || !e.noteMissing(m):
			e.skip("@"+m.path, noSuchFile)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// An expander collects the result for one message.
type expander struct {
	workspace *workspace
	tree      *fsutil.Tree
	options   Options
	result    Expansion
	missing   []MissingPath
	// seen holds the resolved paths of included files, and the skipped paths.
	seen  map[string]bool
	bytes int
	// images counts the images of the message.
	images int
}

// include adds the files that a name matches; for a PDF it adds only pages. typed reports that a
// user typed the name, not a command or skill.
func (e *expander) include(name string, typed bool, pages PageRange) {
	if !e.workspace.exists(name) {
		e.includeAll(name, "", e.workspace.glob(name))
		return
	}
	resolved, info, reason := e.workspace.resolve(name)
	switch {
	case reason != "":
		e.skip(name, string(reason))
	case !info.IsDir():
		// A user includes a withheld file by its own name, but not by a link of another name.
		why, _ := e.withheldReason(filepath.ToSlash(name))
		if reason := e.add(name, typed && why != "", &pages); reason != "" {
			e.skip(name, string(reason))
		}
	default:
		files, err := e.workspace.below(resolved)
		switch {
		case errors.Is(err, os.ErrPermission):
			e.skip(name, string(unreadable))
		case err != nil:
			e.skip(name, err.Error())
		case len(files) == 0:
			e.skip(name, string(nothingToRead))
		default:
			e.includeAll(name, name, files)
		}
	}
}

// includeAll adds the files below base. It lists skipped files on one line for each reason, because
// a folder of images would fill a page.
func (e *expander) includeAll(name, base string, files []string) {
	var reasons []refusal
	left := map[refusal][]string{}
	for _, file := range files {
		if e.workspace.ctx.Err() != nil {
			return
		}
		file = path.Join(base, file)
		reason := e.add(file, false, nil)
		if reason == "" {
			continue
		}
		if left[reason] == nil {
			reasons = append(reasons, reason)
		}
		left[reason] = append(left[reason], file)
	}
	for _, reason := range reasons {
		if group := left[reason]; len(group) > 1 {
			e.skip(fmt.Sprintf("%s: %d files (%s, …)", name, len(group), group[0]), string(reason))
		} else {
			e.skip(group[0], string(reason))
		}
	}
}

// withheldReason returns the reason not to send the text of a file, "" if the file may be sent.
// denied reports whether even the user cannot include it.
func (e *expander) withheldReason(path string) (why string, denied bool) {
	if e.options.Kept == nil {
		return "", false
	}
	return e.options.Kept(path)
}

// add includes one file, or returns the reason for not including it. It includes a withheld file
// only if named is set. It includes a PDF only if of is set, because extracting the text of many
// PDFs is slow. It ignores a file that the message already contains.
func (e *expander) add(name string, named bool, of *PageRange) refusal {
	pages := PageRange{}
	if of != nil {
		pages = *of
	}
	resolved, info, reason := e.workspace.resolve(name)
	if reason != "" {
		return reason
	}
	switch why, denied := e.withheldReason(resolved); {
	case denied:
		return refusal(why)
	case why != "" && !named:
		return refusal(why + "; to include it, type its exact name, or add a rule with --allow")
	case e.seen[resolved+pages.String()]:
		return ""
	case info.IsDir():
		return linkToFolder
	case strings.ContainsFunc(name, unicode.IsControl):
		return oddName
	case len(e.result.Included) == MaxFiles:
		return tooMany
	case info.Size() <= MaxFileBytes && int64(e.bytes)+info.Size() > MaxMessageBytes:
		return tooMuch
	}
	content, reason := read(e.tree, resolved, info, e.noImages(), of != nil && e.options.PDF != nil)
	if reason != "" {
		return reason
	}
	included, block := IncludedFile{Path: name + pages.String()}, history.Block(nil)
	switch {
	case content.picture != nil:
		e.images++
		included.Hash = content.hash
		included.Bytes, block = len(content.picture.Data), mediaBlock(*content.picture)
	case content.pdf != nil:
		text, whole, err := e.options.PDF(e.workspace.ctx, name, content.pdf, pages)
		if err != nil {
			return refusal(err.Error())
		}
		included.Bytes, included.Lines, included.Hash = len(text), humanize.LineCount(text), content.hash
		if block = pdfText(included.Path, text); whole {
			included.Bytes, block = len(content.pdf), &history.Media{MimeType: history.PDF, Data: base64.StdEncoding.EncodeToString(content.pdf)}
		}
	default:
		text := modelText(name, content.text)
		included.Bytes, included.Lines = len(text), humanize.LineCount(text)
		block = history.NewInclusion(name, text)
		if e.options.Shown != nil {
			e.options.Shown(filepath.Join(e.workspace.root, filepath.FromSlash(resolved)), content.text)
		}
	}
	e.seen[resolved+pages.String()] = true
	e.bytes += included.Bytes
	e.result.Included = append(e.result.Included, included)
	e.result.Blocks = append(e.result.Blocks, block)
	return ""
}

// pdfText returns the text of pages of a PDF as a block. A later block for the same pages replaces
// it.
func pdfText(name, text string) *history.Text {
	block := history.NewData(history.SourceCommand, "The text of "+name+":", text)
	block.Key = "pdf:" + name
	return block
}

// modelText returns the text of a file in the form for the model. For a notebook, this is the text
// of its cells.
func modelText(name string, content []byte) string {
	if path.Ext(name) == ".ipynb" {
		if cells, err := notebook.Parse(content); err == nil {
			return cells.Text()
		}
	}
	return string(content)
}

// noImages returns the reason why no more images may be added, or "".
func (e *expander) noImages() string {
	if e.options.NoImages == "" && e.images >= MaxImages {
		return tooManyImages
	}
	return e.options.NoImages
}

func (e *expander) skip(name, reason string) {
	if key := "skipped " + name; !e.seen[key] {
		e.seen[key] = true
		e.result.Skipped = append(e.result.Skipped, SkippedPath{name, reason})
	}
}
