package tools

import (
	"encoding/json"
	"slices"

	"agent/internal/base/arguments"
	"agent/internal/cmdline"
	"agent/internal/text/patch"
	"agent/internal/tools/decode"
)

// Translate returns a call of the model, translated to the names of the present tools and their
// parameters. Calls of other programs' tools stay unchanged. A command that applies a patch becomes
// a call of the patch tool. A rename of a symbol becomes a call of the tool that edits.
func (r *Registry) Translate(name, written string) decode.Call {
	now := r.CurrentTools()
	call := r.asPatch(decode.Translate(name, arguments.Parse(written), func(name string) (json.RawMessage, bool) {
		i, ok := now.index[name]
		if !ok {
			return nil, false
		}
		if takes := now.tools[i].takes; takes != nil {
			return takes(), true
		}
		return nil, true
	}))
	call.Name = asRename(call.Name, call.Arguments.StringArg("op"))
	return call
}

// asPatch turns a command that only passes a patch to apply_patch into a call of that tool. GPT
// models write such commands, with or without the tool. The translated call is an edit for
// approval, rules, density and the session log (D-92). Other calls stay unchanged.
func (r *Registry) asPatch(call decode.Call) decode.Call {
	tool, err := r.Get(call.Name)
	if err != nil || !tool.Runs || len(tool.Density.Command) == 0 {
		return call
	}
	all := r.All()
	at := slices.IndexFunc(all, func(t Tool) bool { return t.EditsOnly() && len(t.Density.Patch) > 0 })
	given, named := call.Arguments.Arg("directory")
	folder, isText := given.(string)
	dir, text, ok := cmdline.Read(call.Arguments.StringArg(tool.Density.Command[0])).ParseApplyPatch()
	if at < 0 || !ok || named && !isText {
		return call
	}
	if meant, err := json.Marshal(map[string]string{all[at].Density.Patch[0]: patch.Below(cmdline.JoinBelow(folder, dir), text)}); err == nil {
		call.Name, call.Arguments = all[at].Name, arguments.Parse(meant)
	}
	return call
}
