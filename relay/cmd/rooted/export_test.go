package rooted

import "os"

// SetSync sets how folders are synced.
func (f *Folders) SetSync(sync func(*os.File) error) { f.sync = sync }
