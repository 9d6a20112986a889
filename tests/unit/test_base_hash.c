// SPDX-License-Identifier: Apache-2.0
// test_base_hash.c - hash.c: published vectors of SHA-256 and Threefry, stability and spread of the fast hash.
#include "base/base.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

static void sha_is(const void *p, size_t n, const char *hex) {
    ch__sha256 h = ch__sha256_of(p, n), plain = ch__sha256_plain(p, n);
    char text[65];
    for (int i = 0; i < 32; i++) snprintf(text + 2 * i, 3, "%02x", h.b[i]);
    assert_string_equal(text, hex);
    assert_memory_equal(&plain, &h, sizeof h);
}

// FIPS 180-4 examples; then lengths around the block size, made by Python: byte i is (7 i + n) mod 256.
static void sha256_vectors(void **state) {
    (void)state;
    sha_is("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    sha_is(million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
    sha_is(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    static const struct {
        int n;
        const char *hex;
    } rows[] = {
        {1, "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"},
        {3, "6ab0dba1f4f1dfbb37b4f9eeb092c09fca4900ad32bdcd147d8dde35d6c87c35"},
        {55, "81afe5b788dc2ce138ff83d9b20164db75a94d75d2b2432eea4a0ef605088c72"},
        {56, "2aba54f0ac632420a2b502431408866e40e1d5e430df4cd822642c78ab2eb9c1"},
        {63, "733d3d4ee79ee67145bf73da13588f6f235d37414fc64b14a2f00f1762792f5e"},
        {64, "79322907b3e9d013d7dc2c2f256674dbf733045cde01df3539271c6f5605feb8"},
        {65, "d85c007c6eb440f085afa2b84f6f2bce4658b240e9f62cb1364bf0485a57e720"},
        {119, "6c87eedf096b345de205b702e5223b73b447a3207791ded3ea007ba15ed6736e"},
        {120, "42500cf6a1e3936d6b9e0bcfe296d654b63255e525487d3634d0b15fde591c4d"},
        {127, "68f6ff710276900c0ffbbc57426f67e00c2e01f0750c7edc25ac06b8ce7a8095"},
        {128, "489d55fea9a73af36b6dd0be7b4117d8e5683386d39544e8a44c99a87f368707"},
        {1000, "6b0df76627243d095b0c4400cb658b7e804dd03461cc03aee8fc8fe0bcada168"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char data[1000];
        for (int k = 0; k < rows[i].n; k++) data[k] = (unsigned char)(k * 7 + rows[i].n);
        sha_is(data, (size_t)rows[i].n, rows[i].hex);
    }
}

// The known answers of the authors' Random123 library, threefry2x32 with 20 rounds.
static void threefry_known_answers(void **state) {
    (void)state;
    static const uint32_t rows[][6] = {
        {0, 0, 0, 0, 0x6b200159, 0x99ba4efe},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x1cb996fc, 0xbb002be7},
        {0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3, 0xc4923a9c, 0x483df7a0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t out[2];
        ch__threefry2x32(rows[i], rows[i] + 2, out);
        assert_int_equal(out[0], rows[i][4]);
        assert_int_equal(out[1], rows[i][5]);
    }
}

// Values made by a twin in Python: hashes may be stored, so they must not change. byte i is (7 i + 3) mod 256, seed n.
static void the_fast_hash_is_stable(void **state) {
    (void)state;
    static const uint64_t expected[] = {0xa706dd2f4d197e6f, 0x14706d7c64d7e25b, 0x0024d3245197d86f,
                                        0xdc6a3a0a617d162b, 0x39cb0264bb826352, 0x7b8a82b265a29df8};
    unsigned char data[24];
    for (int i = 0; i < 24; i++) data[i] = (unsigned char)(i * 7 + 3);
    for (size_t n = 0; n <= 20; n += 4) assert_true(ch__hash_bytes(data, n, n) == expected[n / 4]);
    assert_true(ch__hash_str("chaac") == 0x9add45ec72927c2e);
    assert_true(ch__hash_u64(1) == 0x910a2dec89025cc1);
    unsigned char moved[32];
    for (size_t at = 0; at < 8; at++) { // alignment does not matter
        memcpy(moved + at, data, 20);
        assert_true(ch__hash_bytes(moved + at, 20, 20) == expected[5]);
    }
}

// One changed bit changes each bit of the hash about half of the time.
static void the_fast_hash_spreads(void **state) {
    (void)state;
    for (size_t n = 1; n <= 24; n++) {
        static int changed[64];
        memset(changed, 0, sizeof changed);
        int trials = 0;
        for (int sample = 0; sample < 40; sample++) {
            unsigned char data[24];
            for (size_t i = 0; i < n; i++) data[i] = (unsigned char)ch__hash_u64((uint64_t)sample * 100 + i);
            uint64_t h = ch__hash_bytes(data, n, 0);
            for (size_t bit = 0; bit < 8 * n; bit++) {
                data[bit / 8] ^= (unsigned char)(1u << bit % 8);
                uint64_t d = h ^ ch__hash_bytes(data, n, 0);
                data[bit / 8] ^= (unsigned char)(1u << bit % 8);
                for (int k = 0; k < 64; k++) changed[k] += (int)(d >> k & 1);
                trials++;
            }
        }
        for (int k = 0; k < 64; k++)
            if (changed[k] < trials * 35 / 100 || changed[k] > trials * 65 / 100)
                fail_msg("%d bytes: bit %d changed %d of %d times", (int)n, k, changed[k], trials);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_vectors),
        cmocka_unit_test(threefry_known_answers),
        cmocka_unit_test(the_fast_hash_is_stable),
        cmocka_unit_test(the_fast_hash_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
