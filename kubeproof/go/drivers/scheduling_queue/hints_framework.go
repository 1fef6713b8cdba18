// Hint functions of 1.29 and 1.30.

package queue

func kpHints() Option { return kpWithHints(kpOrError()) }
