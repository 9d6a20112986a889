// SPDX-License-Identifier: Apache-2.0
// build_id.c - which build of the library this is: what the linker's --build-id wrote into the file that holds it.
//
// A SHA-1 of the file's contents, in a note that is loaded with the code (elf(5), "Notes"): a library or a program that
// was built from other sources, by another compiler or with other flags has another one. The linker defines
// __ehdr_start as the place of the file's header in memory; the table there says where notes lie.
#include "base/base.h"

#include <string.h>

#ifdef CH_IMAGE
#include <link.h>

CH_IMAGE(__ehdr_start);

// Of a piece of notes: each a head, a name and what it says, padded.
static bool find_build_id(const unsigned char *p, size_t n, size_t align, unsigned char out[CH__BUILD_ID]) {
    ElfW(Nhdr) head;
    while (n >= sizeof head) {
        memcpy(&head, p, sizeof head);
        size_t name = (sizeof head + head.n_namesz + align - 1) / align * align;
        size_t all = (name + head.n_descsz + align - 1) / align * align;
        if (all > n) return false;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memcmp(p + sizeof head, "GNU", 4) == 0) {
            if (head.n_descsz == CH__BUILD_ID) memcpy(out, p + name, CH__BUILD_ID);
            return head.n_descsz == CH__BUILD_ID; // others are not that hash
        }
        p += all;
        n -= all;
    }
    return false;
}

bool ch__build_id(unsigned char out[CH__BUILD_ID]) {
    const unsigned char *image = __ehdr_start, *base = NULL;
    if (image == NULL) return false;
    ElfW(Ehdr) file;
    memcpy(&file, image, sizeof file);
    if (memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_phentsize != sizeof(ElfW(Phdr))) return false;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < file.e_phnum; i++) {
            ElfW(Phdr) h;
            memcpy(&h, image + file.e_phoff + (size_t)i * sizeof h, sizeof h);
            if (pass == 0 && h.p_type == PT_LOAD && h.p_offset == 0) base = image - h.p_vaddr;
            if (pass == 1 && h.p_type == PT_NOTE && base != NULL &&
                find_build_id(base + h.p_vaddr, h.p_memsz, h.p_align == 8 ? 8 : 4, out))
                return true;
        }
    return false;
}
#else
bool ch__build_id(unsigned char out[CH__BUILD_ID]) {
    (void)out;
    return false;
}
#endif
