# The types of core.py for Cython. Without Cython nobody reads this file.
cimport cython
from libc.stdint cimport uint32_t, uint64_t

cdef uint32_t NONE
cdef uint32_t RULE
cdef uint32_t LEAF
cdef uint64_t ALL
cdef uint64_t FACTOR

cdef uint64_t mixed(uint64_t key) noexcept nogil


@cython.final
cdef class Numbers:
    cdef uint32_t[::1] items
    cdef readonly uint32_t count
    cdef uint32_t room

    cpdef append(self, uint32_t number)
    cpdef append_until(self, uint32_t count, uint32_t number)
    cpdef uint32_t at(self, uint32_t i)
    cpdef replace(self, uint32_t i, uint32_t number)
    @cython.locals(bigger=uint32_t[::1], i=uint32_t)
    cdef grow(self)


@cython.final
cdef class Map:
    cdef uint64_t[::1] items
    cdef uint64_t mask
    cdef readonly uint64_t used

    @cython.locals(key=uint64_t, i=uint64_t, found=uint64_t)
    cdef uint32_t get(self, uint32_t first, uint32_t second) noexcept
    @cython.locals(key=uint64_t)
    cdef put(self, uint32_t first, uint32_t second, uint32_t value)
    @cython.locals(i=uint64_t)
    cdef void place(self, uint64_t key, uint32_t value) noexcept
    @cython.locals(items=uint64_t[::1], size=uint64_t, i=uint64_t)
    cdef grow(self)


@cython.final
cdef class Trees:
    cdef readonly uint32_t slots
    cdef readonly Numbers probes
    cdef readonly Map edges
    cdef readonly Numbers roots
    cdef readonly Numbers question_slots
    cdef readonly Map answers
    cdef readonly Map changes
    cdef readonly Numbers starts
    cdef readonly Numbers said
    cdef readonly Numbers effects
    cdef readonly Numbers names

    @cython.locals(found=uint32_t, at=uint32_t, to=uint32_t, value=uint32_t, i=Py_ssize_t, last=Py_ssize_t)
    cpdef learn(self, uint32_t function, list path, uint32_t leaf)
    cdef uint32_t node(self, uint32_t probe) except? 0xFFFFFFFF
    cpdef uint32_t leaf(self, tuple said) except? 0xFFFFFFFF


@cython.final
cdef class Search:
    cdef readonly uint32_t slots
    cdef public object host
    cdef readonly Trees trees
    cdef Numbers probes
    cdef Map edges
    cdef Numbers roots
    cdef Numbers question_slots
    cdef Map answers
    cdef Map changes
    cdef Numbers starts
    cdef Numbers said
    cdef Numbers effects
    cdef Numbers names
    cdef public Numbers rules
    cdef readonly Numbers looked_up
    cdef uint32_t[::1] at
    cdef readonly uint32_t words
    cdef uint32_t[::1] word
    cdef uint32_t[::1] shift
    cdef uint32_t[::1] bits
    cdef public object kept_rows
    cdef public object kept_parents
    cdef readonly tuple kept_layout
    cdef uint64_t[::1] rows
    cdef uint32_t[::1] parents
    cdef uint32_t room
    cdef readonly uint32_t count
    cdef uint64_t[::1] packed
    cdef uint32_t[::1] index
    cdef uint64_t index_mask
    cdef readonly Numbers offers
    cdef Numbers taken
    cdef Numbers leaves
    cdef readonly Numbers fired
    cdef readonly Numbers asked_starts
    cdef readonly Numbers asked
    cdef public uint32_t step_properties
    cdef readonly Numbers step_functions
    cdef readonly Numbers invariants
    cdef readonly Numbers invariant_numbers
    cdef readonly Numbers silent
    cdef readonly Numbers met
    cdef readonly uint32_t next
    cdef readonly uint64_t generated
    cdef readonly uint32_t depth
    cdef readonly uint32_t level
    cdef readonly Numbers levels
    cdef readonly uint32_t level_end
    cdef readonly uint32_t stopped
    cdef public uint32_t limit
    cdef public uint32_t renamings
    cdef readonly Numbers made_of
    cdef readonly Numbers generators
    cdef readonly Numbers sources
    cdef readonly Numbers targets
    cdef readonly Map renamed
    cdef readonly Numbers compared
    cdef readonly Numbers nameless
    cdef Numbers left
    cdef public uint32_t by_host
    cdef public uint32_t relabels

    @cython.locals(at=uint32_t, code=uint32_t, value=uint32_t)
    cdef uint32_t walk(self, uint32_t function, uint32_t base) except? 0xFFFFFFFF
    @cython.locals(value=uint32_t, found=uint32_t)
    cpdef uint32_t answer(self, uint32_t question, uint32_t base) except? 0xFFFFFFFF
    cpdef uint32_t rule(self, uint32_t key) except? 0xFFFFFFFF
    @cython.locals(one=uint64_t)
    cdef widen(self, uint32_t slot, uint64_t number)
    cdef lay_out(self)
    @cython.locals(rows=uint64_t[::1], new=uint64_t[::1], n=uint64_t, slot=uint32_t, width=uint32_t, number=uint64_t, one=uint64_t)
    cdef repack(self, uint64_t words, uint32_t[::1] word, uint32_t[::1] shift, uint32_t[::1] bits)
    @cython.locals(start=uint64_t, slot=uint32_t, width=uint32_t, one=uint64_t)
    cpdef unpack(self, uint64_t number, uint32_t base)
    @cython.locals(w=uint32_t, slot=uint32_t, number=uint64_t, hashed=uint64_t, one=uint64_t)
    cdef uint64_t pack(self, uint32_t base) except? 0xFFFFFFFF
    @cython.locals(found=uint32_t)
    cpdef uint32_t find(self, uint32_t base) except? 0xFFFFFFFE
    cpdef uint32_t find_after(self) except? 0xFFFFFFFE
    @cython.locals(i=uint64_t, start=uint64_t, w=uint32_t, same=uint32_t, mask=uint64_t)
    cdef uint64_t place(self, uint64_t hashed) noexcept
    @cython.locals(i=uint64_t, start=uint64_t, w=uint32_t, number=uint32_t, hashed=uint64_t)
    cpdef uint32_t intern(self, uint32_t base, uint32_t parent) except? 0xFFFFFFFF
    cdef make_room(self)
    @cython.locals(size=uint64_t)
    cdef rebuild(self)
    @cython.locals(n=uint64_t, start=uint64_t, hashed=uint64_t, i=uint64_t, w=uint32_t)
    cdef fill(self, uint64_t size)
    cpdef uint32_t number_at(self, uint32_t place)
    cpdef list row(self, uint32_t base)
    @cython.locals(slot=uint32_t)
    cpdef write(self, uint32_t base, list row)
    cpdef uint32_t parent(self, uint32_t number)
    cpdef resume(self, tuple layout, uint32_t count, list numbers)
    @cython.locals(leaf=uint32_t, i=uint32_t, j=uint32_t)
    cdef enable(self)
    @cython.locals(slots=uint32_t, slot=uint32_t, j=uint32_t, end=uint32_t, change=uint32_t, value=uint32_t)
    cdef apply(self, uint32_t leaf)
    @cython.locals(i=uint32_t)
    cpdef list successors(self, uint32_t number)
    cdef uint32_t reached(self, uint32_t before) except? 0xFFFFFFFF
    @cython.locals(count=uint32_t, number=uint32_t)
    cpdef uint32_t begin(self) except? 0xFFFFFFFF
    @cython.locals(number=uint32_t, i=uint32_t, action=uint32_t, name=uint32_t, count=uint32_t, to=uint32_t)
    cpdef run(self, uint32_t until)
    @cython.locals(base=uint32_t, i=uint32_t, property=uint32_t, leaf=uint32_t, said=uint32_t)
    cdef ask_state(self, uint32_t number)
    @cython.locals(leaf=uint32_t)
    cpdef uint32_t said_of(self, uint32_t function, uint32_t number) except? 0xFFFFFFFF
    @cython.locals(leaf=uint32_t)
    cpdef uint32_t said_of_step(self, uint32_t function, uint32_t before, uint32_t after) except? 0xFFFFFFFF
    @cython.locals(place=uint64_t)
    cdef uint32_t step_function(self, uint32_t property, uint64_t action) except? 0xFFFFFFFF
    @cython.locals(i=uint32_t, property=uint32_t, leaf=uint32_t, said=uint32_t)
    cdef ask_step(self, uint32_t before, uint32_t action, uint32_t name, uint32_t after)
    @cython.locals(slots=uint32_t, renaming=uint32_t, slot=uint32_t, leaf=uint32_t)
    cdef represent(self)
    @cython.locals(renaming=uint32_t, i=uint32_t, slot=uint32_t, least=uint32_t, kept=uint32_t, k=uint32_t, value=uint32_t)
    cdef uint32_t least(self) except? 0xFFFFFFFF
    cpdef list represented(self)
    @cython.locals(source=uint32_t)
    cdef uint32_t rename(self, uint32_t renaming, uint32_t slot) except? 0xFFFFFFFF
    @cython.locals(found=uint32_t, before=uint32_t, generator=uint32_t, between=uint32_t)
    cdef uint32_t rename_value(self, uint32_t renaming, uint32_t slot, uint32_t value) except? 0xFFFFFFFF
