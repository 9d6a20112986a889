# SPDX-License-Identifier: Apache-2.0
# Without libclang the command says what to install; so it does when the file is none.
cp "$ROOT/tests/cfront/cases/small.c" .
CHAAC_LIBCLANG=/nowhere/libclang.so chaac grad small.c
chaac grad absent.c
chaac grad --nonsense small.c
