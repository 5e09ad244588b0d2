package bridge

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/extend/mcp"
	"agent/internal/picture"
	"agent/internal/text/lines"
	"agent/internal/tools"
)

// bytesPerToken is the approximate size of a token of a result.
const bytesPerToken = 4

// answer returns a result in the form for the model and the user. It shortens a long result and
// stores the whole in a file with a name that begins with file.
func (b *Bridge) answer(env *tools.Env, r mcp.Result, file string) tools.Answer {
	var answer tools.Answer
	var parts []string
	for _, block := range r.Blocks {
		switch {
		case block.ForUser:
			if env.Output != nil && block.Kind == mcp.Text {
				fmt.Fprintln(env.Output, strings.ToValidUTF8(block.Text, "\uFFFD"))
			}
		case block.Kind == mcp.Text:
			parts = append(parts, strings.ToValidUTF8(block.Text, "\uFFFD"))
		case block.Kind == mcp.Link:
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("[resource %s %s %s]", humanize.Line(block.URI, 500), humanize.Line(block.Name, 100), humanize.Line(block.Text, 200))))
		default:
			parts = append(parts, media(env, block, file, &answer))
		}
	}
	text := strings.Join(parts, "\n")
	if len(r.Structured) > 0 && !says(text, r.Structured) {
		text = lines.Append(text, string(r.Structured))
	}
	limit := min(max(b.ResultTokens(), 1)*bytesPerToken, env.Limits.OutputBytes())
	answer.Text, answer.Spool = shorten(env, text, limit, file)
	if answer.Summary = humanize.Count(len(lines.Split(text)), "line"); text == "" {
		answer.Text, answer.Summary = "[no output]", "no output"
	}
	if r.IsError {
		fail(&answer)
	}
	return answer
}

// fail marks an answer as a failure that the server reported.
func fail(a *tools.Answer) {
	const short = 1000
	if len(a.Text) <= short && len(a.Images) == 0 {
		a.Error, a.Text = a.Text, ""
		return
	}
	a.Error = "the server reports a failure"
}

// says reports whether a text contains every value of a structured result.
func says(text string, structured json.RawMessage) bool {
	value, err := rawjson.Decode(structured)
	if err != nil {
		return false
	}
	var all func(any) bool
	all = func(value any) bool {
		switch v := value.(type) {
		case map[string]any:
			return all(slices.Collect(maps.Values(v)))
		case []any:
			return !slices.ContainsFunc(v, func(inner any) bool { return !all(inner) })
		case string:
			if strings.Contains(text, v) {
				return true
			}
			quoted, err := json.Marshal(v)
			return err == nil && strings.Contains(text, string(quoted))
		case nil:
			return true
		}
		plain, err := json.Marshal(value)
		return err == nil && strings.Contains(text, string(plain))
	}
	return all(value)
}

// shorten shortens a text to about limit bytes by omitting its middle. It returns the path of
// the file with the whole text, "" if nothing was omitted.
func shorten(env *tools.Env, text string, limit int, name string) (cut, file string) {
	if len(text) <= limit {
		return text, ""
	}
	file, err := keep(env, []byte(text), name+"-*.txt")
	where := "the full text is in " + file
	if err != nil {
		where = "can't store it: " + err.Error()
	}
	const note = 300
	room := max(limit-note, limit/2)
	head, tail := room*2/3, room/3
	begin := lines.TrimPartialRune(text[:head])
	if i := strings.LastIndexByte(begin, '\n'); i > head/2 {
		begin = begin[:i+1]
	}
	end := text[len(text)-tail:]
	for len(end) > 0 && !utf8.RuneStart(end[0]) {
		end = end[1:]
	}
	if i := strings.IndexByte(end, '\n'); i >= 0 && i < tail/2 {
		end = end[i+1:]
	}
	gone := len(text) - len(begin) - len(end)
	return lines.Append(begin, fmt.Sprintf("[%s left out here; %s]", humanize.Bytes(int64(gone)), where)) + "\n" + end, file
}

// keep writes data to a new file of the session that only the user can read.
func keep(env *tools.Env, data []byte, pattern string) (string, error) {
	dir := env.Workspace.TempDir()
	if dir == "" {
		return "", fmt.Errorf("there is no temporary folder")
	}
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return "", fsutil.Reason(err)
	}
	if _, err = f.Write(data); err == nil {
		err = f.Close()
	} else {
		f.Close()
	}
	if err != nil {
		return "", fsutil.Reason(err)
	}
	return f.Name(), nil
}

// media adds an image to an answer, and stores other media in a file. It returns a line about the
// medium for the text of the answer.
func media(env *tools.Env, block mcp.Block, name string, answer *tools.Answer) string {
	kind := humanize.Line(block.MIME, 60)
	why := ""
	if block.Kind == mcp.Image {
		fitted, err := picture.Fit(block.Data)
		if err == nil {
			answer.Images = append(answer.Images, tools.Image{MimeType: fitted.MimeType, Data: fitted.Data, Width: fitted.Width, Height: fitted.Height})
			return fmt.Sprintf("[image %d×%d]", fitted.Width, fitted.Height)
		}
		why = ", not shown: " + err.Error()
	}
	ending := ".bin"
	if known, err := mime.ExtensionsByType(kind); err == nil && len(known) > 0 {
		ending = known[0]
	}
	file, err := keep(env, block.Data, name+"-*"+ending)
	if err != nil {
		return fmt.Sprintf("[%s, %s, could not be stored: %v]", kind, humanize.Bytes(int64(len(block.Data))), err)
	}
	return fmt.Sprintf("[%s, %s%s, stored in %s]", kind, humanize.Bytes(int64(len(block.Data))), why, file)
}

// fileName returns the start of the names of files that contain results of a tool.
func fileName(server, shown string) string {
	const most = 60
	name := "mcp-" + server + "-" + shown
	return name[:min(len(name), most)]
}
