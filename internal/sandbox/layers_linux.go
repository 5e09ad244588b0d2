package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox/launcher"
	"agent/internal/sandbox/supervisor"
)

// layers is the set of layers that a holder has mounted on the user's caches. They are in a slot, a
// numbered folder that no other holder uses at the same time. The kernel allows each layer to be
// mounted only once. The files in the other slots of the workspace are visible below them.
type layers struct {
	// folder is the folder that contains the slots.
	folder string
	// slot is the folder of the slot. others lists the folders of the other slots. lock is the open
	// lock file of the slot.
	slot   string
	others []string
	lock   *os.File
	// mounted maps the path of each cache to its upper folder. failed maps it to the reason why
	// there is no layer.
	mounted map[string]string
	failed  map[string]error
}

// maxSlots is the largest number of holders that can have layers in the same workspace at once.
const maxSlots = 8

// take reserves the first free slot.
func (l *layers) take() error {
	if l.lock != nil {
		return nil
	}
	l.mounted, l.failed = map[string]string{}, map[string]error{}
	for number := range maxSlots {
		slot := filepath.Join(l.folder, strconv.Itoa(number+1))
		if l.slot != "" {
			l.others = append(l.others, slot)
			continue
		}
		if err := os.MkdirAll(slot, 0o700); err != nil {
			return err
		}
		lock, err := os.OpenFile(filepath.Join(slot, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
			lock.Close()
			l.others = append(l.others, slot)
			continue
		}
		l.slot, l.lock = slot, lock
	}
	if l.lock == nil {
		return fmt.Errorf("can't use the cache overlays: %d other agent processes already use them, which is the maximum", maxSlots)
	}
	return nil
}

// mount mounts a layer on each cache that does not have one yet. It returns the caches with a
// layer, and the first error.
func (h *holder) mount(caches []Cache) (mounted []Cache, failed error) {
	if len(caches) == 0 {
		return nil, nil
	}
	if err := h.layers.take(); err != nil {
		return nil, err
	}
	for _, c := range caches {
		upper, err := h.mountOn(c)
		if err == nil {
			c.upper = upper
			mounted = append(mounted, c)
		} else if failed == nil {
			failed = err
		}
	}
	return mounted, failed
}

func (h *holder) mountOn(c Cache) (upper string, err error) {
	l := &h.layers
	if upper := l.mounted[c.Path]; upper != "" || l.failed[c.Path] != nil {
		return upper, l.failed[c.Path]
	}
	sum := sha256.Sum256([]byte(c.Path)) // so that a layer is only used on the same folder
	name := c.Name + "-" + hex.EncodeToString(sum[:4])
	layer := launcher.Layer{Path: c.Path, Upper: filepath.Join(l.slot, name, "upper"), Work: filepath.Join(l.slot, name, "work")}
	for _, other := range l.others {
		if dir := filepath.Join(other, name, "upper"); !isEmpty(dir) {
			layer.Lower = append(layer.Lower, dir)
		}
	}
	for _, dir := range []string{layer.Upper, layer.Work} {
		if err = os.MkdirAll(dir, 0o700); err != nil {
			break
		}
	}
	if err == nil {
		var reply supervisor.Reply
		if reply, err = h.ask(supervisor.Request{Layer: &layer}); err == nil && reply.Failed != "" {
			err = fmt.Errorf("%s", reply.Failed)
		}
	}
	if err != nil {
		l.failed[c.Path] = err
		return "", err
	}
	l.mounted[c.Path] = layer.Upper
	return layer.Upper, nil
}

func paths(caches []Cache) (paths []string) {
	for _, c := range caches {
		paths = append(paths, c.Path)
	}
	return paths
}
