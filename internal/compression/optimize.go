package compression

import "agent/internal/history"

// optimize runs the phases that are switched on over one view of raw and merges
// their edits. It takes linear time; memory grows with what is edited and with the
// number of distinct files and tools, and besides takes four bytes an entry.
func optimize(raw []*history.Content, config DensityConfig) (history.DensityResult, error) {
	if err := checkEntries(raw); err != nil {
		return history.DensityResult{}, err
	}
	config.Facts = config.Facts.remembered()
	v := &view{raw: raw}
	for _, phase := range phases {
		if config.Switches[phase.Switch.Name] {
			v.kind = phase.Kind
			phase.run(v, config)
		}
	}
	return v.result(), nil
}
