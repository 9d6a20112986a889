module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x128xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<128x128xf32> {tf.aliasing_output = 2 : i32}, %arg2: tensor<128xf32> {tf.aliasing_output = 3 : i32}, %arg3: tensor<128xf32> {tf.aliasing_output = 4 : i32}, %arg4: tensor<128x384xf32> {tf.aliasing_output = 5 : i32}, %arg5: tensor<384xf32> {tf.aliasing_output = 6 : i32}, %arg6: tensor<128x128xf32> {tf.aliasing_output = 7 : i32}, %arg7: tensor<128xf32> {tf.aliasing_output = 8 : i32}, %arg8: tensor<128xf32> {tf.aliasing_output = 9 : i32}, %arg9: tensor<128xf32> {tf.aliasing_output = 10 : i32}, %arg10: tensor<128x512xf32> {tf.aliasing_output = 11 : i32}, %arg11: tensor<512xf32> {tf.aliasing_output = 12 : i32}, %arg12: tensor<512x128xf32> {tf.aliasing_output = 13 : i32}, %arg13: tensor<128xf32> {tf.aliasing_output = 14 : i32}, %arg14: tensor<128xf32> {tf.aliasing_output = 15 : i32}, %arg15: tensor<128xf32> {tf.aliasing_output = 16 : i32}, %arg16: tensor<128x384xf32> {tf.aliasing_output = 17 : i32}, %arg17: tensor<384xf32> {tf.aliasing_output = 18 : i32}, %arg18: tensor<128x128xf32> {tf.aliasing_output = 19 : i32}, %arg19: tensor<128xf32> {tf.aliasing_output = 20 : i32}, %arg20: tensor<128xf32> {tf.aliasing_output = 21 : i32}, %arg21: tensor<128xf32> {tf.aliasing_output = 22 : i32}, %arg22: tensor<128x512xf32> {tf.aliasing_output = 23 : i32}, %arg23: tensor<512xf32> {tf.aliasing_output = 24 : i32}, %arg24: tensor<512x128xf32> {tf.aliasing_output = 25 : i32}, %arg25: tensor<128xf32> {tf.aliasing_output = 26 : i32}, %arg26: tensor<128xf32> {tf.aliasing_output = 27 : i32}, %arg27: tensor<128xf32> {tf.aliasing_output = 28 : i32}, %arg28: tensor<128x384xf32> {tf.aliasing_output = 29 : i32}, %arg29: tensor<384xf32> {tf.aliasing_output = 30 : i32}, %arg30: tensor<128x128xf32> {tf.aliasing_output = 31 : i32}, %arg31: tensor<128xf32> {tf.aliasing_output = 32 : i32}, %arg32: tensor<128xf32> {tf.aliasing_output = 33 : i32}, %arg33: tensor<128xf32> {tf.aliasing_output = 34 : i32}, %arg34: tensor<128x512xf32> {tf.aliasing_output = 35 : i32}, %arg35: tensor<512xf32> {tf.aliasing_output = 36 : i32}, %arg36: tensor<512x128xf32> {tf.aliasing_output = 37 : i32}, %arg37: tensor<128xf32> {tf.aliasing_output = 38 : i32}, %arg38: tensor<128xf32> {tf.aliasing_output = 39 : i32}, %arg39: tensor<128xf32> {tf.aliasing_output = 40 : i32}, %arg40: tensor<128x384xf32> {tf.aliasing_output = 41 : i32}, %arg41: tensor<384xf32> {tf.aliasing_output = 42 : i32}, %arg42: tensor<128x128xf32> {tf.aliasing_output = 43 : i32}, %arg43: tensor<128xf32> {tf.aliasing_output = 44 : i32}, %arg44: tensor<128xf32> {tf.aliasing_output = 45 : i32}, %arg45: tensor<128xf32> {tf.aliasing_output = 46 : i32}, %arg46: tensor<128x512xf32> {tf.aliasing_output = 47 : i32}, %arg47: tensor<512xf32> {tf.aliasing_output = 48 : i32}, %arg48: tensor<512x128xf32> {tf.aliasing_output = 49 : i32}, %arg49: tensor<128xf32> {tf.aliasing_output = 50 : i32}, %arg50: tensor<128xf32> {tf.aliasing_output = 51 : i32}, %arg51: tensor<128xf32> {tf.aliasing_output = 52 : i32}, %arg52: tensor<128x256xf32> {tf.aliasing_output = 53 : i32}, %arg53: tensor<256x128xf32> {tf.aliasing_output = 54 : i32}, %arg54: tensor<128x128xf32> {tf.aliasing_output = 55 : i32}, %arg55: tensor<128xf32> {tf.aliasing_output = 56 : i32}, %arg56: tensor<128xf32> {tf.aliasing_output = 57 : i32}, %arg57: tensor<128x384xf32> {tf.aliasing_output = 58 : i32}, %arg58: tensor<384xf32> {tf.aliasing_output = 59 : i32}, %arg59: tensor<128x128xf32> {tf.aliasing_output = 60 : i32}, %arg60: tensor<128xf32> {tf.aliasing_output = 61 : i32}, %arg61: tensor<128xf32> {tf.aliasing_output = 62 : i32}, %arg62: tensor<128xf32> {tf.aliasing_output = 63 : i32}, %arg63: tensor<128x512xf32> {tf.aliasing_output = 64 : i32}, %arg64: tensor<512xf32> {tf.aliasing_output = 65 : i32}, %arg65: tensor<512x128xf32> {tf.aliasing_output = 66 : i32}, %arg66: tensor<128xf32> {tf.aliasing_output = 67 : i32}, %arg67: tensor<128xf32> {tf.aliasing_output = 68 : i32}, %arg68: tensor<128xf32> {tf.aliasing_output = 69 : i32}, %arg69: tensor<128x384xf32> {tf.aliasing_output = 70 : i32}, %arg70: tensor<384xf32> {tf.aliasing_output = 71 : i32}, %arg71: tensor<128x128xf32> {tf.aliasing_output = 72 : i32}, %arg72: tensor<128xf32> {tf.aliasing_output = 73 : i32}, %arg73: tensor<128xf32> {tf.aliasing_output = 74 : i32}, %arg74: tensor<128xf32> {tf.aliasing_output = 75 : i32}, %arg75: tensor<128x512xf32> {tf.aliasing_output = 76 : i32}, %arg76: tensor<512xf32> {tf.aliasing_output = 77 : i32}, %arg77: tensor<512x128xf32> {tf.aliasing_output = 78 : i32}, %arg78: tensor<128xf32> {tf.aliasing_output = 79 : i32}, %arg79: tensor<128xf32> {tf.aliasing_output = 80 : i32}, %arg80: tensor<128xf32> {tf.aliasing_output = 81 : i32}, %arg81: tensor<128x384xf32> {tf.aliasing_output = 82 : i32}, %arg82: tensor<384xf32> {tf.aliasing_output = 83 : i32}, %arg83: tensor<128x128xf32> {tf.aliasing_output = 84 : i32}, %arg84: tensor<128xf32> {tf.aliasing_output = 85 : i32}, %arg85: tensor<128xf32> {tf.aliasing_output = 86 : i32}, %arg86: tensor<128xf32> {tf.aliasing_output = 87 : i32}, %arg87: tensor<128x512xf32> {tf.aliasing_output = 88 : i32}, %arg88: tensor<512xf32> {tf.aliasing_output = 89 : i32}, %arg89: tensor<512x128xf32> {tf.aliasing_output = 90 : i32}, %arg90: tensor<128xf32> {tf.aliasing_output = 91 : i32}, %arg91: tensor<128xf32> {tf.aliasing_output = 92 : i32}, %arg92: tensor<128xf32> {tf.aliasing_output = 93 : i32}, %arg93: tensor<128x384xf32> {tf.aliasing_output = 94 : i32}, %arg94: tensor<384xf32> {tf.aliasing_output = 95 : i32}, %arg95: tensor<128x128xf32> {tf.aliasing_output = 96 : i32}, %arg96: tensor<128xf32> {tf.aliasing_output = 97 : i32}, %arg97: tensor<128xf32> {tf.aliasing_output = 98 : i32}, %arg98: tensor<128xf32> {tf.aliasing_output = 99 : i32}, %arg99: tensor<128x512xf32> {tf.aliasing_output = 100 : i32}, %arg100: tensor<512xf32> {tf.aliasing_output = 101 : i32}, %arg101: tensor<512x128xf32> {tf.aliasing_output = 102 : i32}, %arg102: tensor<128xf32> {tf.aliasing_output = 103 : i32}, %arg103: tensor<128xf32> {tf.aliasing_output = 104 : i32}, %arg104: tensor<128xf32> {tf.aliasing_output = 105 : i32}, %arg105: tensor<128x256xf32> {tf.aliasing_output = 106 : i32}, %arg106: tensor<256x128xf32> {tf.aliasing_output = 107 : i32}, %arg107: tensor<128x128xf32> {tf.aliasing_output = 108 : i32}, %arg108: tensor<128xf32> {tf.aliasing_output = 109 : i32}, %arg109: tensor<128xf32> {tf.aliasing_output = 110 : i32}, %arg110: tensor<128x384xf32> {tf.aliasing_output = 111 : i32}, %arg111: tensor<384xf32> {tf.aliasing_output = 112 : i32}, %arg112: tensor<128x128xf32> {tf.aliasing_output = 113 : i32}, %arg113: tensor<128xf32> {tf.aliasing_output = 114 : i32}, %arg114: tensor<128xf32> {tf.aliasing_output = 115 : i32}, %arg115: tensor<128xf32> {tf.aliasing_output = 116 : i32}, %arg116: tensor<128x512xf32> {tf.aliasing_output = 117 : i32}, %arg117: tensor<512xf32> {tf.aliasing_output = 118 : i32}, %arg118: tensor<512x128xf32> {tf.aliasing_output = 119 : i32}, %arg119: tensor<128xf32> {tf.aliasing_output = 120 : i32}, %arg120: tensor<128xf32> {tf.aliasing_output = 121 : i32}, %arg121: tensor<128xf32> {tf.aliasing_output = 122 : i32}, %arg122: tensor<128x384xf32> {tf.aliasing_output = 123 : i32}, %arg123: tensor<384xf32> {tf.aliasing_output = 124 : i32}, %arg124: tensor<128x128xf32> {tf.aliasing_output = 125 : i32}, %arg125: tensor<128xf32> {tf.aliasing_output = 126 : i32}, %arg126: tensor<128xf32> {tf.aliasing_output = 127 : i32}, %arg127: tensor<128xf32> {tf.aliasing_output = 128 : i32}, %arg128: tensor<128x512xf32> {tf.aliasing_output = 129 : i32}, %arg129: tensor<512xf32> {tf.aliasing_output = 130 : i32}, %arg130: tensor<512x128xf32> {tf.aliasing_output = 131 : i32}, %arg131: tensor<128xf32> {tf.aliasing_output = 132 : i32}, %arg132: tensor<128xf32> {tf.aliasing_output = 133 : i32}, %arg133: tensor<128xf32> {tf.aliasing_output = 134 : i32}, %arg134: tensor<128x384xf32> {tf.aliasing_output = 135 : i32}, %arg135: tensor<384xf32> {tf.aliasing_output = 136 : i32}, %arg136: tensor<128x128xf32> {tf.aliasing_output = 137 : i32}, %arg137: tensor<128xf32> {tf.aliasing_output = 138 : i32}, %arg138: tensor<128xf32> {tf.aliasing_output = 139 : i32}, %arg139: tensor<128xf32> {tf.aliasing_output = 140 : i32}, %arg140: tensor<128x512xf32> {tf.aliasing_output = 141 : i32}, %arg141: tensor<512xf32> {tf.aliasing_output = 142 : i32}, %arg142: tensor<512x128xf32> {tf.aliasing_output = 143 : i32}, %arg143: tensor<128xf32> {tf.aliasing_output = 144 : i32}, %arg144: tensor<128xf32> {tf.aliasing_output = 145 : i32}, %arg145: tensor<128xf32> {tf.aliasing_output = 146 : i32}, %arg146: tensor<128x384xf32> {tf.aliasing_output = 147 : i32}, %arg147: tensor<384xf32> {tf.aliasing_output = 148 : i32}, %arg148: tensor<128x128xf32> {tf.aliasing_output = 149 : i32}, %arg149: tensor<128xf32> {tf.aliasing_output = 150 : i32}, %arg150: tensor<128xf32> {tf.aliasing_output = 151 : i32}, %arg151: tensor<128xf32> {tf.aliasing_output = 152 : i32}, %arg152: tensor<128x512xf32> {tf.aliasing_output = 153 : i32}, %arg153: tensor<512xf32> {tf.aliasing_output = 154 : i32}, %arg154: tensor<512x128xf32> {tf.aliasing_output = 155 : i32}, %arg155: tensor<128xf32> {tf.aliasing_output = 156 : i32}, %arg156: tensor<128xf32> {tf.aliasing_output = 157 : i32}, %arg157: tensor<128xf32> {tf.aliasing_output = 158 : i32}, %arg158: tensor<128x256xf32> {tf.aliasing_output = 159 : i32}, %arg159: tensor<f32> {tf.aliasing_output = 0 : i32}, %arg160: tensor<8x128xi32>, %arg161: tensor<8x128xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<256x128xf32> {jax.result_info = "result[1][0]"}, tensor<128x128xf32> {jax.result_info = "result[1][1]"}, tensor<128xf32> {jax.result_info = "result[1][2]"}, tensor<128xf32> {jax.result_info = "result[1][3]"}, tensor<128x384xf32> {jax.result_info = "result[1][4]"}, tensor<384xf32> {jax.result_info = "result[1][5]"}, tensor<128x128xf32> {jax.result_info = "result[1][6]"}, tensor<128xf32> {jax.result_info = "result[1][7]"}, tensor<128xf32> {jax.result_info = "result[1][8]"}, tensor<128xf32> {jax.result_info = "result[1][9]"}, tensor<128x512xf32> {jax.result_info = "result[1][10]"}, tensor<512xf32> {jax.result_info = "result[1][11]"}, tensor<512x128xf32> {jax.result_info = "result[1][12]"}, tensor<128xf32> {jax.result_info = "result[1][13]"}, tensor<128xf32> {jax.result_info = "result[1][14]"}, tensor<128xf32> {jax.result_info = "result[1][15]"}, tensor<128x384xf32> {jax.result_info = "result[1][16]"}, tensor<384xf32> {jax.result_info = "result[1][17]"}, tensor<128x128xf32> {jax.result_info = "result[1][18]"}, tensor<128xf32> {jax.result_info = "result[1][19]"}, tensor<128xf32> {jax.result_info = "result[1][20]"}, tensor<128xf32> {jax.result_info = "result[1][21]"}, tensor<128x512xf32> {jax.result_info = "result[1][22]"}, tensor<512xf32> {jax.result_info = "result[1][23]"}, tensor<512x128xf32> {jax.result_info = "result[1][24]"}, tensor<128xf32> {jax.result_info = "result[1][25]"}, tensor<128xf32> {jax.result_info = "result[1][26]"}, tensor<128xf32> {jax.result_info = "result[1][27]"}, tensor<128x384xf32> {jax.result_info = "result[1][28]"}, tensor<384xf32> {jax.result_info = "result[1][29]"}, tensor<128x128xf32> {jax.result_info = "result[1][30]"}, tensor<128xf32> {jax.result_info = "result[1][31]"}, tensor<128xf32> {jax.result_info = "result[1][32]"}, tensor<128xf32> {jax.result_info = "result[1][33]"}, tensor<128x512xf32> {jax.result_info = "result[1][34]"}, tensor<512xf32> {jax.result_info = "result[1][35]"}, tensor<512x128xf32> {jax.result_info = "result[1][36]"}, tensor<128xf32> {jax.result_info = "result[1][37]"}, tensor<128xf32> {jax.result_info = "result[1][38]"}, tensor<128xf32> {jax.result_info = "result[1][39]"}, tensor<128x384xf32> {jax.result_info = "result[1][40]"}, tensor<384xf32> {jax.result_info = "result[1][41]"}, tensor<128x128xf32> {jax.result_info = "result[1][42]"}, tensor<128xf32> {jax.result_info = "result[1][43]"}, tensor<128xf32> {jax.result_info = "result[1][44]"}, tensor<128xf32> {jax.result_info = "result[1][45]"}, tensor<128x512xf32> {jax.result_info = "result[1][46]"}, tensor<512xf32> {jax.result_info = "result[1][47]"}, tensor<512x128xf32> {jax.result_info = "result[1][48]"}, tensor<128xf32> {jax.result_info = "result[1][49]"}, tensor<128xf32> {jax.result_info = "result[1][50]"}, tensor<128xf32> {jax.result_info = "result[1][51]"}, tensor<128x256xf32> {jax.result_info = "result[1][52]"}, tensor<256x128xf32> {jax.result_info = "result[2][0]"}, tensor<128x128xf32> {jax.result_info = "result[2][1]"}, tensor<128xf32> {jax.result_info = "result[2][2]"}, tensor<128xf32> {jax.result_info = "result[2][3]"}, tensor<128x384xf32> {jax.result_info = "result[2][4]"}, tensor<384xf32> {jax.result_info = "result[2][5]"}, tensor<128x128xf32> {jax.result_info = "result[2][6]"}, tensor<128xf32> {jax.result_info = "result[2][7]"}, tensor<128xf32> {jax.result_info = "result[2][8]"}, tensor<128xf32> {jax.result_info = "result[2][9]"}, tensor<128x512xf32> {jax.result_info = "result[2][10]"}, tensor<512xf32> {jax.result_info = "result[2][11]"}, tensor<512x128xf32> {jax.result_info = "result[2][12]"}, tensor<128xf32> {jax.result_info = "result[2][13]"}, tensor<128xf32> {jax.result_info = "result[2][14]"}, tensor<128xf32> {jax.result_info = "result[2][15]"}, tensor<128x384xf32> {jax.result_info = "result[2][16]"}, tensor<384xf32> {jax.result_info = "result[2][17]"}, tensor<128x128xf32> {jax.result_info = "result[2][18]"}, tensor<128xf32> {jax.result_info = "result[2][19]"}, tensor<128xf32> {jax.result_info = "result[2][20]"}, tensor<128xf32> {jax.result_info = "result[2][21]"}, tensor<128x512xf32> {jax.result_info = "result[2][22]"}, tensor<512xf32> {jax.result_info = "result[2][23]"}, tensor<512x128xf32> {jax.result_info = "result[2][24]"}, tensor<128xf32> {jax.result_info = "result[2][25]"}, tensor<128xf32> {jax.result_info = "result[2][26]"}, tensor<128xf32> {jax.result_info = "result[2][27]"}, tensor<128x384xf32> {jax.result_info = "result[2][28]"}, tensor<384xf32> {jax.result_info = "result[2][29]"}, tensor<128x128xf32> {jax.result_info = "result[2][30]"}, tensor<128xf32> {jax.result_info = "result[2][31]"}, tensor<128xf32> {jax.result_info = "result[2][32]"}, tensor<128xf32> {jax.result_info = "result[2][33]"}, tensor<128x512xf32> {jax.result_info = "result[2][34]"}, tensor<512xf32> {jax.result_info = "result[2][35]"}, tensor<512x128xf32> {jax.result_info = "result[2][36]"}, tensor<128xf32> {jax.result_info = "result[2][37]"}, tensor<128xf32> {jax.result_info = "result[2][38]"}, tensor<128xf32> {jax.result_info = "result[2][39]"}, tensor<128x384xf32> {jax.result_info = "result[2][40]"}, tensor<384xf32> {jax.result_info = "result[2][41]"}, tensor<128x128xf32> {jax.result_info = "result[2][42]"}, tensor<128xf32> {jax.result_info = "result[2][43]"}, tensor<128xf32> {jax.result_info = "result[2][44]"}, tensor<128xf32> {jax.result_info = "result[2][45]"}, tensor<128x512xf32> {jax.result_info = "result[2][46]"}, tensor<512xf32> {jax.result_info = "result[2][47]"}, tensor<512x128xf32> {jax.result_info = "result[2][48]"}, tensor<128xf32> {jax.result_info = "result[2][49]"}, tensor<128xf32> {jax.result_info = "result[2][50]"}, tensor<128xf32> {jax.result_info = "result[2][51]"}, tensor<128x256xf32> {jax.result_info = "result[2][52]"}, tensor<256x128xf32> {jax.result_info = "result[3][0]"}, tensor<128x128xf32> {jax.result_info = "result[3][1]"}, tensor<128xf32> {jax.result_info = "result[3][2]"}, tensor<128xf32> {jax.result_info = "result[3][3]"}, tensor<128x384xf32> {jax.result_info = "result[3][4]"}, tensor<384xf32> {jax.result_info = "result[3][5]"}, tensor<128x128xf32> {jax.result_info = "result[3][6]"}, tensor<128xf32> {jax.result_info = "result[3][7]"}, tensor<128xf32> {jax.result_info = "result[3][8]"}, tensor<128xf32> {jax.result_info = "result[3][9]"}, tensor<128x512xf32> {jax.result_info = "result[3][10]"}, tensor<512xf32> {jax.result_info = "result[3][11]"}, tensor<512x128xf32> {jax.result_info = "result[3][12]"}, tensor<128xf32> {jax.result_info = "result[3][13]"}, tensor<128xf32> {jax.result_info = "result[3][14]"}, tensor<128xf32> {jax.result_info = "result[3][15]"}, tensor<128x384xf32> {jax.result_info = "result[3][16]"}, tensor<384xf32> {jax.result_info = "result[3][17]"}, tensor<128x128xf32> {jax.result_info = "result[3][18]"}, tensor<128xf32> {jax.result_info = "result[3][19]"}, tensor<128xf32> {jax.result_info = "result[3][20]"}, tensor<128xf32> {jax.result_info = "result[3][21]"}, tensor<128x512xf32> {jax.result_info = "result[3][22]"}, tensor<512xf32> {jax.result_info = "result[3][23]"}, tensor<512x128xf32> {jax.result_info = "result[3][24]"}, tensor<128xf32> {jax.result_info = "result[3][25]"}, tensor<128xf32> {jax.result_info = "result[3][26]"}, tensor<128xf32> {jax.result_info = "result[3][27]"}, tensor<128x384xf32> {jax.result_info = "result[3][28]"}, tensor<384xf32> {jax.result_info = "result[3][29]"}, tensor<128x128xf32> {jax.result_info = "result[3][30]"}, tensor<128xf32> {jax.result_info = "result[3][31]"}, tensor<128xf32> {jax.result_info = "result[3][32]"}, tensor<128xf32> {jax.result_info = "result[3][33]"}, tensor<128x512xf32> {jax.result_info = "result[3][34]"}, tensor<512xf32> {jax.result_info = "result[3][35]"}, tensor<512x128xf32> {jax.result_info = "result[3][36]"}, tensor<128xf32> {jax.result_info = "result[3][37]"}, tensor<128xf32> {jax.result_info = "result[3][38]"}, tensor<128xf32> {jax.result_info = "result[3][39]"}, tensor<128x384xf32> {jax.result_info = "result[3][40]"}, tensor<384xf32> {jax.result_info = "result[3][41]"}, tensor<128x128xf32> {jax.result_info = "result[3][42]"}, tensor<128xf32> {jax.result_info = "result[3][43]"}, tensor<128xf32> {jax.result_info = "result[3][44]"}, tensor<128xf32> {jax.result_info = "result[3][45]"}, tensor<128x512xf32> {jax.result_info = "result[3][46]"}, tensor<512xf32> {jax.result_info = "result[3][47]"}, tensor<512x128xf32> {jax.result_info = "result[3][48]"}, tensor<128xf32> {jax.result_info = "result[3][49]"}, tensor<128xf32> {jax.result_info = "result[3][50]"}, tensor<128xf32> {jax.result_info = "result[3][51]"}, tensor<128x256xf32> {jax.result_info = "result[3][52]"}, tensor<f32> {jax.result_info = "result[4]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x128xi32>
    %1 = stablehlo.compare LT, %arg160, %0, SIGNED : (tensor<8x128xi32>, tensor<8x128xi32>) -> tensor<8x128xi1>
    %c_0 = stablehlo.constant dense<256> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x128xi32>
    %3 = stablehlo.add %arg160, %2 : tensor<8x128xi32>
    %4 = stablehlo.select %1, %3, %arg160 : tensor<8x128xi1>, tensor<8x128xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x128xi32>) -> tensor<8x128x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 128>}> : (tensor<256x128xf32>, tensor<8x128x1xi32>) -> tensor<8x128x128xf32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<128x128xf32>) -> tensor<1x128x128xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x128x128xf32>) -> tensor<8x128x128xf32>
    %9 = stablehlo.add %6, %8 : tensor<8x128x128xf32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<128x128xi1>
    %11 = call @tril(%10) : (tensor<128x128xi1>) -> tensor<128x128xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_2 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %15 = stablehlo.divide %13, %14 : tensor<8x128x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %17 = stablehlo.subtract %9, %16 : tensor<8x128x128xf32>
    %18 = stablehlo.multiply %17, %17 : tensor<8x128x128xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x128x128xf32>
    %20 = stablehlo.multiply %19, %17 : tensor<8x128x128xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%18 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_5 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %24 = stablehlo.divide %22, %23 : tensor<8x128x1xf32>
    %25 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %26 = stablehlo.subtract %9, %25 : tensor<8x128x128xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %28 = stablehlo.add %24, %27 : tensor<8x128x1xf32>
    %29 = stablehlo.rsqrt %28 : tensor<8x128x1xf32>
    %30 = stablehlo.divide %29, %28 : tensor<8x128x1xf32>
    %cst_7 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %32 = stablehlo.multiply %31, %30 : tensor<8x128x1xf32>
    %33 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %34 = stablehlo.multiply %26, %33 : tensor<8x128x128xf32>
    %35 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %37 = stablehlo.multiply %34, %36 : tensor<8x128x128xf32>
    %38 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %40 = stablehlo.add %37, %39 : tensor<8x128x128xf32>
    %41 = stablehlo.dot_general %40, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x384xf32>) -> tensor<8x128x384xf32>
    %42 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<384xf32>) -> tensor<1x1x384xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<1x1x384xf32>) -> tensor<8x128x384xf32>
    %44 = stablehlo.add %41, %43 : tensor<8x128x384xf32>
    %45 = stablehlo.reshape %44 : (tensor<8x128x384xf32>) -> tensor<8x128x3x4x32xf32>
    %46 = stablehlo.slice %45 [0:8, 0:128, 0:1, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %47 = stablehlo.reshape %46 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %48 = stablehlo.transpose %47, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %49 = stablehlo.slice %45 [0:8, 0:128, 1:2, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %50 = stablehlo.reshape %49 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %51 = stablehlo.transpose %50, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %52 = stablehlo.slice %45 [0:8, 0:128, 2:3, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %53 = stablehlo.reshape %52 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %54 = stablehlo.transpose %53, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %55 = stablehlo.transpose %51, dims = [0, 1, 3, 2] : (tensor<8x4x128x32xf32>) -> tensor<8x4x32x128xf32>
    %56 = stablehlo.dot_general %48, %55, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x32x128xf32>) -> tensor<8x4x128x128xf32>
    %cst_8 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %58 = stablehlo.multiply %56, %57 : tensor<8x4x128x128xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %59:3 = call @_where(%11, %58, %cst_9) : (tensor<128x128xi1>, tensor<8x4x128x128xf32>, tensor<f32>) -> (tensor<8x4x128x128xf32>, tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>)
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %60 = stablehlo.reduce(%59#0 init: %cst_10) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %61 = stablehlo.reshape %60 : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %63 = stablehlo.compare EQ, %59#0, %62, FLOAT : (tensor<8x4x128x128xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xi1>
    %64 = stablehlo.convert %63 : (tensor<8x4x128x128xi1>) -> tensor<8x4x128x128xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.reduce(%64 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %67 = stablehlo.maximum %66, %60 : tensor<8x4x128xf32>
    %cst_13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %69 = stablehlo.compare GT, %60, %68, FLOAT : (tensor<8x4x128xf32>, tensor<8x4x128xf32>) -> tensor<8x4x128xi1>
    %cst_14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %71 = stablehlo.compare EQ, %60, %70, FLOAT : (tensor<8x4x128xf32>, tensor<8x4x128xf32>) -> tensor<8x4x128xi1>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %cst_17 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %75 = stablehlo.select %71, %74, %73 : tensor<8x4x128xi1>, tensor<8x4x128xf32>
    %76 = stablehlo.select %69, %72, %75 : tensor<8x4x128xi1>, tensor<8x4x128xf32>
    %77 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %79 = stablehlo.subtract %59#0, %78 : tensor<8x4x128x128xf32>
    %80 = stablehlo.exponential %79 : tensor<8x4x128x128xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.reduce(%80 init: %cst_18) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %84 = stablehlo.divide %80, %83 : tensor<8x4x128x128xf32>
    %85 = stablehlo.multiply %82, %82 : tensor<8x4x128x1xf32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x4x128x1xf32>
    %87 = stablehlo.divide %86, %85 : tensor<8x4x128x1xf32>
    %88 = stablehlo.dot_general %84, %54, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x32xf32>
    %89 = stablehlo.transpose %88, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %90 = stablehlo.reshape %89 : (tensor<8x128x4x32xf32>) -> tensor<8x128x128xf32>
    %91 = stablehlo.dot_general %90, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x128xf32>) -> tensor<8x128x128xf32>
    %92 = stablehlo.add %9, %91 : tensor<8x128x128xf32>
    %93 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %94 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %95 = stablehlo.add %92, %94 : tensor<8x128x128xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_20) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_21 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %99 = stablehlo.divide %97, %98 : tensor<8x128x1xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %101 = stablehlo.subtract %95, %100 : tensor<8x128x128xf32>
    %102 = stablehlo.multiply %101, %101 : tensor<8x128x128xf32>
    %cst_22 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x128x128xf32>
    %104 = stablehlo.multiply %103, %101 : tensor<8x128x128xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.reduce(%102 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_24 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %108 = stablehlo.divide %106, %107 : tensor<8x128x1xf32>
    %109 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %110 = stablehlo.subtract %95, %109 : tensor<8x128x128xf32>
    %cst_25 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %112 = stablehlo.add %108, %111 : tensor<8x128x1xf32>
    %113 = stablehlo.rsqrt %112 : tensor<8x128x1xf32>
    %114 = stablehlo.divide %113, %112 : tensor<8x128x1xf32>
    %cst_26 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %116 = stablehlo.multiply %115, %114 : tensor<8x128x1xf32>
    %117 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %118 = stablehlo.multiply %110, %117 : tensor<8x128x128xf32>
    %119 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %121 = stablehlo.multiply %118, %120 : tensor<8x128x128xf32>
    %122 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %124 = stablehlo.add %121, %123 : tensor<8x128x128xf32>
    %125 = stablehlo.dot_general %124, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x512xf32>) -> tensor<8x128x512xf32>
    %126 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %127 = stablehlo.broadcast_in_dim %126, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %128 = stablehlo.add %125, %127 : tensor<8x128x512xf32>
    %129 = stablehlo.multiply %128, %128 : tensor<8x128x512xf32>
    %130 = stablehlo.multiply %129, %128 : tensor<8x128x512xf32>
    %131 = stablehlo.multiply %128, %128 : tensor<8x128x512xf32>
    %cst_27 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %133 = stablehlo.multiply %132, %131 : tensor<8x128x512xf32>
    %cst_28 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %135 = stablehlo.multiply %134, %130 : tensor<8x128x512xf32>
    %136 = stablehlo.add %128, %135 : tensor<8x128x512xf32>
    %cst_29 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %138 = stablehlo.multiply %137, %136 : tensor<8x128x512xf32>
    %139 = stablehlo.tanh %138 : tensor<8x128x512xf32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %141 = stablehlo.add %140, %139 : tensor<8x128x512xf32>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %143 = stablehlo.subtract %142, %139 : tensor<8x128x512xf32>
    %144 = stablehlo.multiply %141, %143 : tensor<8x128x512xf32>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %146 = stablehlo.add %145, %139 : tensor<8x128x512xf32>
    %cst_33 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %148 = stablehlo.multiply %147, %146 : tensor<8x128x512xf32>
    %149 = stablehlo.multiply %128, %148 : tensor<8x128x512xf32>
    %150 = stablehlo.dot_general %149, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x128xf32>) -> tensor<8x128x128xf32>
    %151 = stablehlo.add %95, %150 : tensor<8x128x128xf32>
    %152 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %153 = stablehlo.broadcast_in_dim %152, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %154 = stablehlo.add %151, %153 : tensor<8x128x128xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.reduce(%154 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %156 = stablehlo.broadcast_in_dim %155, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_35 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %158 = stablehlo.divide %156, %157 : tensor<8x128x1xf32>
    %159 = stablehlo.broadcast_in_dim %158, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %160 = stablehlo.subtract %154, %159 : tensor<8x128x128xf32>
    %161 = stablehlo.multiply %160, %160 : tensor<8x128x128xf32>
    %cst_36 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<8x128x128xf32>
    %163 = stablehlo.multiply %162, %160 : tensor<8x128x128xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %164 = stablehlo.reduce(%161 init: %cst_37) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %165 = stablehlo.broadcast_in_dim %164, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_38 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %167 = stablehlo.divide %165, %166 : tensor<8x128x1xf32>
    %168 = stablehlo.broadcast_in_dim %158, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %169 = stablehlo.subtract %154, %168 : tensor<8x128x128xf32>
    %cst_39 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %171 = stablehlo.add %167, %170 : tensor<8x128x1xf32>
    %172 = stablehlo.rsqrt %171 : tensor<8x128x1xf32>
    %173 = stablehlo.divide %172, %171 : tensor<8x128x1xf32>
    %cst_40 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %175 = stablehlo.multiply %174, %173 : tensor<8x128x1xf32>
    %176 = stablehlo.broadcast_in_dim %172, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %177 = stablehlo.multiply %169, %176 : tensor<8x128x128xf32>
    %178 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %180 = stablehlo.multiply %177, %179 : tensor<8x128x128xf32>
    %181 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %182 = stablehlo.broadcast_in_dim %181, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %183 = stablehlo.add %180, %182 : tensor<8x128x128xf32>
    %184 = stablehlo.dot_general %183, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x384xf32>) -> tensor<8x128x384xf32>
    %185 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<384xf32>) -> tensor<1x1x384xf32>
    %186 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2] : (tensor<1x1x384xf32>) -> tensor<8x128x384xf32>
    %187 = stablehlo.add %184, %186 : tensor<8x128x384xf32>
    %188 = stablehlo.reshape %187 : (tensor<8x128x384xf32>) -> tensor<8x128x3x4x32xf32>
    %189 = stablehlo.slice %188 [0:8, 0:128, 0:1, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %190 = stablehlo.reshape %189 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %191 = stablehlo.transpose %190, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %192 = stablehlo.slice %188 [0:8, 0:128, 1:2, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %193 = stablehlo.reshape %192 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %194 = stablehlo.transpose %193, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %195 = stablehlo.slice %188 [0:8, 0:128, 2:3, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %196 = stablehlo.reshape %195 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %197 = stablehlo.transpose %196, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %198 = stablehlo.transpose %194, dims = [0, 1, 3, 2] : (tensor<8x4x128x32xf32>) -> tensor<8x4x32x128xf32>
    %199 = stablehlo.dot_general %191, %198, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x32x128xf32>) -> tensor<8x4x128x128xf32>
    %cst_41 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %201 = stablehlo.multiply %199, %200 : tensor<8x4x128x128xf32>
    %cst_42 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %202:3 = call @_where(%11, %201, %cst_42) : (tensor<128x128xi1>, tensor<8x4x128x128xf32>, tensor<f32>) -> (tensor<8x4x128x128xf32>, tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>)
    %cst_43 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %203 = stablehlo.reduce(%202#0 init: %cst_43) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %204 = stablehlo.reshape %203 : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %205 = stablehlo.broadcast_in_dim %204, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %206 = stablehlo.compare EQ, %202#0, %205, FLOAT : (tensor<8x4x128x128xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xi1>
    %207 = stablehlo.convert %206 : (tensor<8x4x128x128xi1>) -> tensor<8x4x128x128xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %208 = stablehlo.reduce(%207 init: %cst_44) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %cst_45 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %210 = stablehlo.maximum %209, %203 : tensor<8x4x128xf32>
    %cst_46 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %211 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %212 = stablehlo.compare GT, %203, %211, FLOAT : (tensor<8x4x128xf32>, tensor<8x4x128xf32>) -> tensor<8x4x128xi1>
    %cst_47 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %214 = stablehlo.compare EQ, %203, %213, FLOAT : (tensor<8x4x128xf32>, tensor<8x4x128xf32>) -> tensor<8x4x128xi1>
    %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %216 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %cst_50 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %217 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %218 = stablehlo.select %214, %217, %216 : tensor<8x4x128xi1>, tensor<8x4x128xf32>
    %219 = stablehlo.select %212, %215, %218 : tensor<8x4x128xi1>, tensor<8x4x128xf32>
    %220 = stablehlo.broadcast_in_dim %210, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %221 = stablehlo.broadcast_in_dim %220, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %222 = stablehlo.subtract %202#0, %221 : tensor<8x4x128x128xf32>
    %223 = stablehlo.exponential %222 : tensor<8x4x128x128xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %224 = stablehlo.reduce(%223 init: %cst_51) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %225 = stablehlo.broadcast_in_dim %224, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %227 = stablehlo.divide %223, %226 : tensor<8x4x128x128xf32>
    %228 = stablehlo.multiply %225, %225 : tensor<8x4x128x1xf32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8x4x128x1xf32>
    %230 = stablehlo.divide %229, %228 : tensor<8x4x128x1xf32>
    %231 = stablehlo.dot_general %227, %197, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x32xf32>
    %232 = stablehlo.transpose %231, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %233 = stablehlo.reshape %232 : (tensor<8x128x4x32xf32>) -> tensor<8x128x128xf32>
    %234 = stablehlo.dot_general %233, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x128xf32>) -> tensor<8x128x128xf32>
    %235 = stablehlo.add %154, %234 : tensor<8x128x128xf32>
    %236 = stablehlo.broadcast_in_dim %arg19, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %237 = stablehlo.broadcast_in_dim %236, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %238 = stablehlo.add %235, %237 : tensor<8x128x128xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %239 = stablehlo.reduce(%238 init: %cst_53) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %240 = stablehlo.broadcast_in_dim %239, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_54 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %241 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %242 = stablehlo.divide %240, %241 : tensor<8x128x1xf32>
    %243 = stablehlo.broadcast_in_dim %242, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %244 = stablehlo.subtract %238, %243 : tensor<8x128x128xf32>
    %245 = stablehlo.multiply %244, %244 : tensor<8x128x128xf32>
    %cst_55 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x128x128xf32>
    %247 = stablehlo.multiply %246, %244 : tensor<8x128x128xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %248 = stablehlo.reduce(%245 init: %cst_56) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %249 = stablehlo.broadcast_in_dim %248, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_57 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %251 = stablehlo.divide %249, %250 : tensor<8x128x1xf32>
    %252 = stablehlo.broadcast_in_dim %242, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %253 = stablehlo.subtract %238, %252 : tensor<8x128x128xf32>
    %cst_58 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %254 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %255 = stablehlo.add %251, %254 : tensor<8x128x1xf32>
    %256 = stablehlo.rsqrt %255 : tensor<8x128x1xf32>
    %257 = stablehlo.divide %256, %255 : tensor<8x128x1xf32>
    %cst_59 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %259 = stablehlo.multiply %258, %257 : tensor<8x128x1xf32>
    %260 = stablehlo.broadcast_in_dim %256, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %261 = stablehlo.multiply %253, %260 : tensor<8x128x128xf32>
    %262 = stablehlo.broadcast_in_dim %arg20, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %263 = stablehlo.broadcast_in_dim %262, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %264 = stablehlo.multiply %261, %263 : tensor<8x128x128xf32>
    %265 = stablehlo.broadcast_in_dim %arg21, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %266 = stablehlo.broadcast_in_dim %265, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %267 = stablehlo.add %264, %266 : tensor<8x128x128xf32>
    %268 = stablehlo.dot_general %267, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x512xf32>) -> tensor<8x128x512xf32>
    %269 = stablehlo.broadcast_in_dim %arg23, dims = [2] : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %270 = stablehlo.broadcast_in_dim %269, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %271 = stablehlo.add %268, %270 : tensor<8x128x512xf32>
    %272 = stablehlo.multiply %271, %271 : tensor<8x128x512xf32>
    %273 = stablehlo.multiply %272, %271 : tensor<8x128x512xf32>
    %274 = stablehlo.multiply %271, %271 : tensor<8x128x512xf32>
    %cst_60 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %275 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %276 = stablehlo.multiply %275, %274 : tensor<8x128x512xf32>
    %cst_61 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %277 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %278 = stablehlo.multiply %277, %273 : tensor<8x128x512xf32>
    %279 = stablehlo.add %271, %278 : tensor<8x128x512xf32>
    %cst_62 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %280 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %281 = stablehlo.multiply %280, %279 : tensor<8x128x512xf32>
    %282 = stablehlo.tanh %281 : tensor<8x128x512xf32>
    %cst_63 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %283 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %284 = stablehlo.add %283, %282 : tensor<8x128x512xf32>
    %cst_64 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %285 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %286 = stablehlo.subtract %285, %282 : tensor<8x128x512xf32>
    %287 = stablehlo.multiply %284, %286 : tensor<8x128x512xf32>
    %cst_65 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %288 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %289 = stablehlo.add %288, %282 : tensor<8x128x512xf32>
    %cst_66 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %290 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %291 = stablehlo.multiply %290, %289 : tensor<8x128x512xf32>
    %292 = stablehlo.multiply %271, %291 : tensor<8x128x512xf32>
    %293 = stablehlo.dot_general %292, %arg24, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x128xf32>) -> tensor<8x128x128xf32>
    %294 = stablehlo.add %238, %293 : tensor<8x128x128xf32>
    %295 = stablehlo.broadcast_in_dim %arg25, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %296 = stablehlo.broadcast_in_dim %295, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %297 = stablehlo.add %294, %296 : tensor<8x128x128xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %298 = stablehlo.reduce(%297 init: %cst_67) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %299 = stablehlo.broadcast_in_dim %298, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_68 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %300 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %301 = stablehlo.divide %299, %300 : tensor<8x128x1xf32>
    %302 = stablehlo.broadcast_in_dim %301, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %303 = stablehlo.subtract %297, %302 : tensor<8x128x128xf32>
    %304 = stablehlo.multiply %303, %303 : tensor<8x128x128xf32>
    %cst_69 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %305 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<8x128x128xf32>
    %306 = stablehlo.multiply %305, %303 : tensor<8x128x128xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %307 = stablehlo.reduce(%304 init: %cst_70) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %308 = stablehlo.broadcast_in_dim %307, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_71 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %310 = stablehlo.divide %308, %309 : tensor<8x128x1xf32>
    %311 = stablehlo.broadcast_in_dim %301, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %312 = stablehlo.subtract %297, %311 : tensor<8x128x128xf32>
    %cst_72 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %313 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %314 = stablehlo.add %310, %313 : tensor<8x128x1xf32>
    %315 = stablehlo.rsqrt %314 : tensor<8x128x1xf32>
    %316 = stablehlo.divide %315, %314 : tensor<8x128x1xf32>
    %cst_73 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %317 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %318 = stablehlo.multiply %317, %316 : tensor<8x128x1xf32>
    %319 = stablehlo.broadcast_in_dim %315, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %320 = stablehlo.multiply %312, %319 : tensor<8x128x128xf32>
    %321 = stablehlo.broadcast_in_dim %arg26, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %322 = stablehlo.broadcast_in_dim %321, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %323 = stablehlo.multiply %320, %322 : tensor<8x128x128xf32>
    %324 = stablehlo.broadcast_in_dim %arg27, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %325 = stablehlo.broadcast_in_dim %324, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %326 = stablehlo.add %323, %325 : tensor<8x128x128xf32>
    %327 = stablehlo.dot_general %326, %arg28, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x384xf32>) -> tensor<8x128x384xf32>
    %328 = stablehlo.broadcast_in_dim %arg29, dims = [2] : (tensor<384xf32>) -> tensor<1x1x384xf32>
    %329 = stablehlo.broadcast_in_dim %328, dims = [0, 1, 2] : (tensor<1x1x384xf32>) -> tensor<8x128x384xf32>
    %330 = stablehlo.add %327, %329 : tensor<8x128x384xf32>
    %331 = stablehlo.reshape %330 : (tensor<8x128x384xf32>) -> tensor<8x128x3x4x32xf32>
    %332 = stablehlo.slice %331 [0:8, 0:128, 0:1, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %333 = stablehlo.reshape %332 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %334 = stablehlo.transpose %333, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %335 = stablehlo.slice %331 [0:8, 0:128, 1:2, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %336 = stablehlo.reshape %335 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %337 = stablehlo.transpose %336, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %338 = stablehlo.slice %331 [0:8, 0:128, 2:3, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %339 = stablehlo.reshape %338 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %340 = stablehlo.transpose %339, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %341 = stablehlo.transpose %337, dims = [0, 1, 3, 2] : (tensor<8x4x128x32xf32>) -> tensor<8x4x32x128xf32>
    %342 = stablehlo.dot_general %334, %341, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x32x128xf32>) -> tensor<8x4x128x128xf32>
    %cst_74 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %343 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %344 = stablehlo.multiply %342, %343 : tensor<8x4x128x128xf32>
    %cst_75 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %345:3 = call @_where(%11, %344, %cst_75) : (tensor<128x128xi1>, tensor<8x4x128x128xf32>, tensor<f32>) -> (tensor<8x4x128x128xf32>, tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>)
    %cst_76 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %346 = stablehlo.reduce(%345#0 init: %cst_76) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %347 = stablehlo.reshape %346 : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %348 = stablehlo.broadcast_in_dim %347, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %349 = stablehlo.compare EQ, %345#0, %348, FLOAT : (tensor<8x4x128x128xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xi1>
    %350 = stablehlo.convert %349 : (tensor<8x4x128x128xi1>) -> tensor<8x4x128x128xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %351 = stablehlo.reduce(%350 init: %cst_77) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %cst_78 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %352 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %353 = stablehlo.maximum %352, %346 : tensor<8x4x128xf32>
    %cst_79 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %354 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %355 = stablehlo.compare GT, %346, %354, FLOAT : (tensor<8x4x128xf32>, tensor<8x4x128xf32>) -> tensor<8x4x128xi1>
    %cst_80 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %356 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %357 = stablehlo.compare EQ, %346, %356, FLOAT : (tensor<8x4x128xf32>, tensor<8x4x128xf32>) -> tensor<8x4x128xi1>
    %cst_81 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %358 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %359 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %cst_83 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %360 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %361 = stablehlo.select %357, %360, %359 : tensor<8x4x128xi1>, tensor<8x4x128xf32>
    %362 = stablehlo.select %355, %358, %361 : tensor<8x4x128xi1>, tensor<8x4x128xf32>
    %363 = stablehlo.broadcast_in_dim %353, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %364 = stablehlo.broadcast_in_dim %363, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %365 = stablehlo.subtract %345#0, %364 : tensor<8x4x128x128xf32>
    %366 = stablehlo.exponential %365 : tensor<8x4x128x128xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %367 = stablehlo.reduce(%366 init: %cst_84) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %368 = stablehlo.broadcast_in_dim %367, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %369 = stablehlo.broadcast_in_dim %368, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %370 = stablehlo.divide %366, %369 : tensor<8x4x128x128xf32>
    %371 = stablehlo.multiply %368, %368 : tensor<8x4x128x1xf32>
    %cst_85 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %372 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<8x4x128x1xf32>
    %373 = stablehlo.divide %372, %371 : tensor<8x4x128x1xf32>
    %374 = stablehlo.dot_general %370, %340, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x32xf32>
    %375 = stablehlo.transpose %374, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %376 = stablehlo.reshape %375 : (tensor<8x128x4x32xf32>) -> tensor<8x128x128xf32>
    %377 = stablehlo.dot_general %376, %arg30, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x128xf32>) -> tensor<8x128x128xf32>
    %378 = stablehlo.add %297, %377 : tensor<8x128x128xf32>
    %379 = stablehlo.broadcast_in_dim %arg31, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %380 = stablehlo.broadcast_in_dim %379, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %381 = stablehlo.add %378, %380 : tensor<8x128x128xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %382 = stablehlo.reduce(%381 init: %cst_86) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %383 = stablehlo.broadcast_in_dim %382, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_87 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %384 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %385 = stablehlo.divide %383, %384 : tensor<8x128x1xf32>
    %386 = stablehlo.broadcast_in_dim %385, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %387 = stablehlo.subtract %381, %386 : tensor<8x128x128xf32>
    %388 = stablehlo.multiply %387, %387 : tensor<8x128x128xf32>
    %cst_88 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %389 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<8x128x128xf32>
    %390 = stablehlo.multiply %389, %387 : tensor<8x128x128xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %391 = stablehlo.reduce(%388 init: %cst_89) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %392 = stablehlo.broadcast_in_dim %391, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_90 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %393 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %394 = stablehlo.divide %392, %393 : tensor<8x128x1xf32>
    %395 = stablehlo.broadcast_in_dim %385, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %396 = stablehlo.subtract %381, %395 : tensor<8x128x128xf32>
    %cst_91 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %397 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %398 = stablehlo.add %394, %397 : tensor<8x128x1xf32>
    %399 = stablehlo.rsqrt %398 : tensor<8x128x1xf32>
    %400 = stablehlo.divide %399, %398 : tensor<8x128x1xf32>
    %cst_92 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %401 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %402 = stablehlo.multiply %401, %400 : tensor<8x128x1xf32>
    %403 = stablehlo.broadcast_in_dim %399, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %404 = stablehlo.multiply %396, %403 : tensor<8x128x128xf32>
    %405 = stablehlo.broadcast_in_dim %arg32, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %406 = stablehlo.broadcast_in_dim %405, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %407 = stablehlo.multiply %404, %406 : tensor<8x128x128xf32>
    %408 = stablehlo.broadcast_in_dim %arg33, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %409 = stablehlo.broadcast_in_dim %408, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %410 = stablehlo.add %407, %409 : tensor<8x128x128xf32>
    %411 = stablehlo.dot_general %410, %arg34, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x512xf32>) -> tensor<8x128x512xf32>
    %412 = stablehlo.broadcast_in_dim %arg35, dims = [2] : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %413 = stablehlo.broadcast_in_dim %412, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %414 = stablehlo.add %411, %413 : tensor<8x128x512xf32>
    %415 = stablehlo.multiply %414, %414 : tensor<8x128x512xf32>
    %416 = stablehlo.multiply %415, %414 : tensor<8x128x512xf32>
    %417 = stablehlo.multiply %414, %414 : tensor<8x128x512xf32>
    %cst_93 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %418 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %419 = stablehlo.multiply %418, %417 : tensor<8x128x512xf32>
    %cst_94 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %420 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %421 = stablehlo.multiply %420, %416 : tensor<8x128x512xf32>
    %422 = stablehlo.add %414, %421 : tensor<8x128x512xf32>
    %cst_95 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %423 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %424 = stablehlo.multiply %423, %422 : tensor<8x128x512xf32>
    %425 = stablehlo.tanh %424 : tensor<8x128x512xf32>
    %cst_96 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %426 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %427 = stablehlo.add %426, %425 : tensor<8x128x512xf32>
    %cst_97 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %428 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %429 = stablehlo.subtract %428, %425 : tensor<8x128x512xf32>
    %430 = stablehlo.multiply %427, %429 : tensor<8x128x512xf32>
    %cst_98 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %431 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %432 = stablehlo.add %431, %425 : tensor<8x128x512xf32>
    %cst_99 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %433 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %434 = stablehlo.multiply %433, %432 : tensor<8x128x512xf32>
    %435 = stablehlo.multiply %414, %434 : tensor<8x128x512xf32>
    %436 = stablehlo.dot_general %435, %arg36, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x128xf32>) -> tensor<8x128x128xf32>
    %437 = stablehlo.add %381, %436 : tensor<8x128x128xf32>
    %438 = stablehlo.broadcast_in_dim %arg37, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %439 = stablehlo.broadcast_in_dim %438, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %440 = stablehlo.add %437, %439 : tensor<8x128x128xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %441 = stablehlo.reduce(%440 init: %cst_100) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %442 = stablehlo.broadcast_in_dim %441, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_101 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %443 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %444 = stablehlo.divide %442, %443 : tensor<8x128x1xf32>
    %445 = stablehlo.broadcast_in_dim %444, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %446 = stablehlo.subtract %440, %445 : tensor<8x128x128xf32>
    %447 = stablehlo.multiply %446, %446 : tensor<8x128x128xf32>
    %cst_102 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %448 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<8x128x128xf32>
    %449 = stablehlo.multiply %448, %446 : tensor<8x128x128xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %450 = stablehlo.reduce(%447 init: %cst_103) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %451 = stablehlo.broadcast_in_dim %450, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_104 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %452 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %453 = stablehlo.divide %451, %452 : tensor<8x128x1xf32>
    %454 = stablehlo.broadcast_in_dim %444, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %455 = stablehlo.subtract %440, %454 : tensor<8x128x128xf32>
    %cst_105 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %456 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %457 = stablehlo.add %453, %456 : tensor<8x128x1xf32>
    %458 = stablehlo.rsqrt %457 : tensor<8x128x1xf32>
    %459 = stablehlo.divide %458, %457 : tensor<8x128x1xf32>
    %cst_106 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %460 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %461 = stablehlo.multiply %460, %459 : tensor<8x128x1xf32>
    %462 = stablehlo.broadcast_in_dim %458, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %463 = stablehlo.multiply %455, %462 : tensor<8x128x128xf32>
    %464 = stablehlo.broadcast_in_dim %arg38, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %465 = stablehlo.broadcast_in_dim %464, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %466 = stablehlo.multiply %463, %465 : tensor<8x128x128xf32>
    %467 = stablehlo.broadcast_in_dim %arg39, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %468 = stablehlo.broadcast_in_dim %467, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %469 = stablehlo.add %466, %468 : tensor<8x128x128xf32>
    %470 = stablehlo.dot_general %469, %arg40, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x384xf32>) -> tensor<8x128x384xf32>
    %471 = stablehlo.broadcast_in_dim %arg41, dims = [2] : (tensor<384xf32>) -> tensor<1x1x384xf32>
    %472 = stablehlo.broadcast_in_dim %471, dims = [0, 1, 2] : (tensor<1x1x384xf32>) -> tensor<8x128x384xf32>
    %473 = stablehlo.add %470, %472 : tensor<8x128x384xf32>
    %474 = stablehlo.reshape %473 : (tensor<8x128x384xf32>) -> tensor<8x128x3x4x32xf32>
    %475 = stablehlo.slice %474 [0:8, 0:128, 0:1, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %476 = stablehlo.reshape %475 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %477 = stablehlo.transpose %476, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %478 = stablehlo.slice %474 [0:8, 0:128, 1:2, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %479 = stablehlo.reshape %478 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %480 = stablehlo.transpose %479, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %481 = stablehlo.slice %474 [0:8, 0:128, 2:3, 0:4, 0:32] : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %482 = stablehlo.reshape %481 : (tensor<8x128x1x4x32xf32>) -> tensor<8x128x4x32xf32>
    %483 = stablehlo.transpose %482, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %484 = stablehlo.transpose %480, dims = [0, 1, 3, 2] : (tensor<8x4x128x32xf32>) -> tensor<8x4x32x128xf32>
    %485 = stablehlo.dot_general %477, %484, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x32x128xf32>) -> tensor<8x4x128x128xf32>
    %cst_107 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %486 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %487 = stablehlo.multiply %485, %486 : tensor<8x4x128x128xf32>
    %cst_108 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %488:3 = call @_where(%11, %487, %cst_108) : (tensor<128x128xi1>, tensor<8x4x128x128xf32>, tensor<f32>) -> (tensor<8x4x128x128xf32>, tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>)
    %cst_109 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %489 = stablehlo.reduce(%488#0 init: %cst_109) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %490 = stablehlo.reshape %489 : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %491 = stablehlo.broadcast_in_dim %490, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %492 = stablehlo.compare EQ, %488#0, %491, FLOAT : (tensor<8x4x128x128xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xi1>
    %493 = stablehlo.convert %492 : (tensor<8x4x128x128xi1>) -> tensor<8x4x128x128xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %494 = stablehlo.reduce(%493 init: %cst_110) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %cst_111 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %495 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %496 = stablehlo.maximum %495, %489 : tensor<8x4x128xf32>
    %cst_112 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %497 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %498 = stablehlo.compare GT, %489, %497, FLOAT : (tensor<8x4x128xf32>, tensor<8x4x128xf32>) -> tensor<8x4x128xi1>
    %cst_113 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %499 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %500 = stablehlo.compare EQ, %489, %499, FLOAT : (tensor<8x4x128xf32>, tensor<8x4x128xf32>) -> tensor<8x4x128xi1>
    %cst_114 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %501 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %502 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %cst_116 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %503 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %504 = stablehlo.select %500, %503, %502 : tensor<8x4x128xi1>, tensor<8x4x128xf32>
    %505 = stablehlo.select %498, %501, %504 : tensor<8x4x128xi1>, tensor<8x4x128xf32>
    %506 = stablehlo.broadcast_in_dim %496, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %507 = stablehlo.broadcast_in_dim %506, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %508 = stablehlo.subtract %488#0, %507 : tensor<8x4x128x128xf32>
    %509 = stablehlo.exponential %508 : tensor<8x4x128x128xf32>
    %cst_117 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %510 = stablehlo.reduce(%509 init: %cst_117) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %511 = stablehlo.broadcast_in_dim %510, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %512 = stablehlo.broadcast_in_dim %511, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %513 = stablehlo.divide %509, %512 : tensor<8x4x128x128xf32>
    %514 = stablehlo.multiply %511, %511 : tensor<8x4x128x1xf32>
    %cst_118 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %515 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<8x4x128x1xf32>
    %516 = stablehlo.divide %515, %514 : tensor<8x4x128x1xf32>
    %517 = stablehlo.dot_general %513, %483, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x32xf32>
    %518 = stablehlo.transpose %517, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %519 = stablehlo.reshape %518 : (tensor<8x128x4x32xf32>) -> tensor<8x128x128xf32>
    %520 = stablehlo.dot_general %519, %arg42, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x128xf32>) -> tensor<8x128x128xf32>
    %521 = stablehlo.add %440, %520 : tensor<8x128x128xf32>
    %522 = stablehlo.broadcast_in_dim %arg43, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %523 = stablehlo.broadcast_in_dim %522, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %524 = stablehlo.add %521, %523 : tensor<8x128x128xf32>
    %cst_119 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %525 = stablehlo.reduce(%524 init: %cst_119) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %526 = stablehlo.broadcast_in_dim %525, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_120 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %528 = stablehlo.divide %526, %527 : tensor<8x128x1xf32>
    %529 = stablehlo.broadcast_in_dim %528, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %530 = stablehlo.subtract %524, %529 : tensor<8x128x128xf32>
    %531 = stablehlo.multiply %530, %530 : tensor<8x128x128xf32>
    %cst_121 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %532 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<8x128x128xf32>
    %533 = stablehlo.multiply %532, %530 : tensor<8x128x128xf32>
    %cst_122 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %534 = stablehlo.reduce(%531 init: %cst_122) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %535 = stablehlo.broadcast_in_dim %534, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_123 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %536 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %537 = stablehlo.divide %535, %536 : tensor<8x128x1xf32>
    %538 = stablehlo.broadcast_in_dim %528, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %539 = stablehlo.subtract %524, %538 : tensor<8x128x128xf32>
    %cst_124 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %540 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %541 = stablehlo.add %537, %540 : tensor<8x128x1xf32>
    %542 = stablehlo.rsqrt %541 : tensor<8x128x1xf32>
    %543 = stablehlo.divide %542, %541 : tensor<8x128x1xf32>
    %cst_125 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %544 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %545 = stablehlo.multiply %544, %543 : tensor<8x128x1xf32>
    %546 = stablehlo.broadcast_in_dim %542, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %547 = stablehlo.multiply %539, %546 : tensor<8x128x128xf32>
    %548 = stablehlo.broadcast_in_dim %arg44, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %549 = stablehlo.broadcast_in_dim %548, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %550 = stablehlo.multiply %547, %549 : tensor<8x128x128xf32>
    %551 = stablehlo.broadcast_in_dim %arg45, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %552 = stablehlo.broadcast_in_dim %551, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %553 = stablehlo.add %550, %552 : tensor<8x128x128xf32>
    %554 = stablehlo.dot_general %553, %arg46, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x512xf32>) -> tensor<8x128x512xf32>
    %555 = stablehlo.broadcast_in_dim %arg47, dims = [2] : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %556 = stablehlo.broadcast_in_dim %555, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %557 = stablehlo.add %554, %556 : tensor<8x128x512xf32>
    %558 = stablehlo.multiply %557, %557 : tensor<8x128x512xf32>
    %559 = stablehlo.multiply %558, %557 : tensor<8x128x512xf32>
    %560 = stablehlo.multiply %557, %557 : tensor<8x128x512xf32>
    %cst_126 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %561 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %562 = stablehlo.multiply %561, %560 : tensor<8x128x512xf32>
    %cst_127 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %563 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %564 = stablehlo.multiply %563, %559 : tensor<8x128x512xf32>
    %565 = stablehlo.add %557, %564 : tensor<8x128x512xf32>
    %cst_128 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %566 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %567 = stablehlo.multiply %566, %565 : tensor<8x128x512xf32>
    %568 = stablehlo.tanh %567 : tensor<8x128x512xf32>
    %cst_129 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %569 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %570 = stablehlo.add %569, %568 : tensor<8x128x512xf32>
    %cst_130 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %572 = stablehlo.subtract %571, %568 : tensor<8x128x512xf32>
    %573 = stablehlo.multiply %570, %572 : tensor<8x128x512xf32>
    %cst_131 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %575 = stablehlo.add %574, %568 : tensor<8x128x512xf32>
    %cst_132 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %576 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %577 = stablehlo.multiply %576, %575 : tensor<8x128x512xf32>
    %578 = stablehlo.multiply %557, %577 : tensor<8x128x512xf32>
    %579 = stablehlo.dot_general %578, %arg48, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x128xf32>) -> tensor<8x128x128xf32>
    %580 = stablehlo.add %524, %579 : tensor<8x128x128xf32>
    %581 = stablehlo.broadcast_in_dim %arg49, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %582 = stablehlo.broadcast_in_dim %581, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %583 = stablehlo.add %580, %582 : tensor<8x128x128xf32>
    %cst_133 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %584 = stablehlo.reduce(%583 init: %cst_133) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %585 = stablehlo.broadcast_in_dim %584, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_134 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %586 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %587 = stablehlo.divide %585, %586 : tensor<8x128x1xf32>
    %588 = stablehlo.broadcast_in_dim %587, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %589 = stablehlo.subtract %583, %588 : tensor<8x128x128xf32>
    %590 = stablehlo.multiply %589, %589 : tensor<8x128x128xf32>
    %cst_135 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %591 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<8x128x128xf32>
    %592 = stablehlo.multiply %591, %589 : tensor<8x128x128xf32>
    %cst_136 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %593 = stablehlo.reduce(%590 init: %cst_136) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %594 = stablehlo.broadcast_in_dim %593, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_137 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %595 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %596 = stablehlo.divide %594, %595 : tensor<8x128x1xf32>
    %597 = stablehlo.broadcast_in_dim %587, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %598 = stablehlo.subtract %583, %597 : tensor<8x128x128xf32>
    %cst_138 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %599 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %600 = stablehlo.add %596, %599 : tensor<8x128x1xf32>
    %601 = stablehlo.rsqrt %600 : tensor<8x128x1xf32>
    %602 = stablehlo.divide %601, %600 : tensor<8x128x1xf32>
    %cst_139 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %603 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %604 = stablehlo.multiply %603, %602 : tensor<8x128x1xf32>
    %605 = stablehlo.broadcast_in_dim %601, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %606 = stablehlo.multiply %598, %605 : tensor<8x128x128xf32>
    %607 = stablehlo.broadcast_in_dim %arg50, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %608 = stablehlo.broadcast_in_dim %607, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %609 = stablehlo.multiply %606, %608 : tensor<8x128x128xf32>
    %610 = stablehlo.broadcast_in_dim %arg51, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %611 = stablehlo.broadcast_in_dim %610, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %612 = stablehlo.add %609, %611 : tensor<8x128x128xf32>
    %613 = stablehlo.dot_general %612, %arg52, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x256xf32>) -> tensor<8x128x256xf32>
    %614:3 = call @log_softmax(%613) : (tensor<8x128x256xf32>) -> (tensor<8x128x256xf32>, tensor<8x128x256xf32>, tensor<8x128x1xf32>)
    %615 = stablehlo.broadcast_in_dim %arg161, dims = [0, 1] : (tensor<8x128xi32>) -> tensor<8x128x1xi32>
    %616:2 = call @take_along_axis(%614#0, %615) : (tensor<8x128x256xf32>, tensor<8x128x1xi32>) -> (tensor<8x128x1xf32>, tensor<8x128x1x1xi32>)
    %cst_140 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %617 = stablehlo.reduce(%616#0 init: %cst_140) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_141 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %618 = stablehlo.divide %617, %cst_141 : tensor<f32>
    %619 = stablehlo.negate %618 : tensor<f32>
    %cst_142 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %620 = stablehlo.negate %cst_142 : tensor<f32>
    %cst_143 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %621 = stablehlo.divide %620, %cst_143 : tensor<f32>
    %622 = stablehlo.broadcast_in_dim %621, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %623 = call @take_along_axis_0(%616#1, %622) : (tensor<8x128x1x1xi32>, tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    %624 = call @log_softmax_1(%614#1, %614#2, %623) : (tensor<8x128x256xf32>, tensor<8x128x1xf32>, tensor<8x128x256xf32>) -> tensor<8x128x256xf32>
    %625 = stablehlo.dot_general %624, %612, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x128xf32>) -> tensor<256x128xf32>
    %626 = stablehlo.transpose %625, dims = [1, 0] : (tensor<256x128xf32>) -> tensor<128x256xf32>
    %627 = stablehlo.dot_general %624, %arg52, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<128x256xf32>) -> tensor<8x128x128xf32>
    %cst_144 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %628 = stablehlo.reduce(%627 init: %cst_144) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %629 = stablehlo.reshape %628 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_145 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %630 = stablehlo.reduce(%629 init: %cst_145) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %631 = stablehlo.multiply %606, %627 : tensor<8x128x128xf32>
    %cst_146 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %632 = stablehlo.reduce(%631 init: %cst_146) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %633 = stablehlo.reshape %632 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %634 = stablehlo.broadcast_in_dim %607, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %635 = stablehlo.multiply %627, %634 : tensor<8x128x128xf32>
    %cst_147 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %636 = stablehlo.reduce(%633 init: %cst_147) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %637 = stablehlo.multiply %598, %635 : tensor<8x128x128xf32>
    %cst_148 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %638 = stablehlo.reduce(%637 init: %cst_148) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %639 = stablehlo.reshape %638 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %640 = stablehlo.broadcast_in_dim %601, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %641 = stablehlo.multiply %635, %640 : tensor<8x128x128xf32>
    %642 = stablehlo.multiply %639, %604 : tensor<8x128x1xf32>
    %643 = stablehlo.negate %641 : tensor<8x128x128xf32>
    %cst_149 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %644 = stablehlo.reduce(%643 init: %cst_149) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %645 = stablehlo.reshape %644 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_150 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %646 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %647 = stablehlo.divide %642, %646 : tensor<8x128x1xf32>
    %cst_151 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %648 = stablehlo.reduce(%647 init: %cst_151) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %649 = stablehlo.broadcast_in_dim %648, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %650 = stablehlo.multiply %649, %592 : tensor<8x128x128xf32>
    %651 = stablehlo.negate %650 : tensor<8x128x128xf32>
    %cst_152 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %652 = stablehlo.reduce(%651 init: %cst_152) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %653 = stablehlo.reshape %652 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %654 = stablehlo.add %641, %650 : tensor<8x128x128xf32>
    %655 = stablehlo.add %645, %653 : tensor<8x128x1xf32>
    %cst_153 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %656 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %657 = stablehlo.divide %655, %656 : tensor<8x128x1xf32>
    %cst_154 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %658 = stablehlo.reduce(%657 init: %cst_154) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %659 = stablehlo.broadcast_in_dim %658, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %660 = stablehlo.add %654, %659 : tensor<8x128x128xf32>
    %cst_155 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %661 = stablehlo.reduce(%660 init: %cst_155) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %662 = stablehlo.reshape %661 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_156 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %663 = stablehlo.reduce(%662 init: %cst_156) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %664 = stablehlo.dot_general %660, %578, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<8x128x512xf32>) -> tensor<128x512xf32>
    %665 = stablehlo.transpose %664, dims = [1, 0] : (tensor<128x512xf32>) -> tensor<512x128xf32>
    %666 = stablehlo.dot_general %660, %arg48, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<512x128xf32>) -> tensor<8x128x512xf32>
    %667 = stablehlo.multiply %557, %666 : tensor<8x128x512xf32>
    %668 = stablehlo.multiply %666, %577 : tensor<8x128x512xf32>
    %cst_157 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %669 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %670 = stablehlo.multiply %669, %667 : tensor<8x128x512xf32>
    %671 = stablehlo.multiply %670, %573 : tensor<8x128x512xf32>
    %cst_158 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %672 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %673 = stablehlo.multiply %672, %671 : tensor<8x128x512xf32>
    %674 = stablehlo.add %668, %673 : tensor<8x128x512xf32>
    %cst_159 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %675 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %676 = stablehlo.multiply %675, %673 : tensor<8x128x512xf32>
    %677 = stablehlo.multiply %676, %562 : tensor<8x128x512xf32>
    %678 = stablehlo.add %674, %677 : tensor<8x128x512xf32>
    %cst_160 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %679 = stablehlo.reduce(%678 init: %cst_160) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<512xf32>
    %680 = stablehlo.reshape %679 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %cst_161 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %681 = stablehlo.reduce(%680 init: %cst_161) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x512xf32>, tensor<f32>) -> tensor<512xf32>
    %682 = stablehlo.dot_general %678, %553, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x128xf32>) -> tensor<512x128xf32>
    %683 = stablehlo.transpose %682, dims = [1, 0] : (tensor<512x128xf32>) -> tensor<128x512xf32>
    %684 = stablehlo.dot_general %678, %arg46, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<128x512xf32>) -> tensor<8x128x128xf32>
    %cst_162 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %685 = stablehlo.reduce(%684 init: %cst_162) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %686 = stablehlo.reshape %685 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_163 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %687 = stablehlo.reduce(%686 init: %cst_163) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %688 = stablehlo.multiply %547, %684 : tensor<8x128x128xf32>
    %cst_164 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %689 = stablehlo.reduce(%688 init: %cst_164) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %690 = stablehlo.reshape %689 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %691 = stablehlo.broadcast_in_dim %548, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %692 = stablehlo.multiply %684, %691 : tensor<8x128x128xf32>
    %cst_165 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %693 = stablehlo.reduce(%690 init: %cst_165) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %694 = stablehlo.multiply %539, %692 : tensor<8x128x128xf32>
    %cst_166 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %695 = stablehlo.reduce(%694 init: %cst_166) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %696 = stablehlo.reshape %695 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %697 = stablehlo.broadcast_in_dim %542, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %698 = stablehlo.multiply %692, %697 : tensor<8x128x128xf32>
    %699 = stablehlo.multiply %696, %545 : tensor<8x128x1xf32>
    %700 = stablehlo.negate %698 : tensor<8x128x128xf32>
    %cst_167 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %701 = stablehlo.reduce(%700 init: %cst_167) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %702 = stablehlo.reshape %701 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %703 = stablehlo.add %660, %698 : tensor<8x128x128xf32>
    %cst_168 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %704 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %705 = stablehlo.divide %699, %704 : tensor<8x128x1xf32>
    %cst_169 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %706 = stablehlo.reduce(%705 init: %cst_169) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %707 = stablehlo.broadcast_in_dim %706, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %708 = stablehlo.multiply %707, %533 : tensor<8x128x128xf32>
    %709 = stablehlo.negate %708 : tensor<8x128x128xf32>
    %cst_170 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %710 = stablehlo.reduce(%709 init: %cst_170) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %711 = stablehlo.reshape %710 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %712 = stablehlo.add %703, %708 : tensor<8x128x128xf32>
    %713 = stablehlo.add %702, %711 : tensor<8x128x1xf32>
    %cst_171 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %714 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %715 = stablehlo.divide %713, %714 : tensor<8x128x1xf32>
    %cst_172 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %716 = stablehlo.reduce(%715 init: %cst_172) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %717 = stablehlo.broadcast_in_dim %716, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %718 = stablehlo.add %712, %717 : tensor<8x128x128xf32>
    %cst_173 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %719 = stablehlo.reduce(%718 init: %cst_173) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %720 = stablehlo.reshape %719 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_174 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %721 = stablehlo.reduce(%720 init: %cst_174) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %722 = stablehlo.dot_general %718, %519, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<8x128x128xf32>) -> tensor<128x128xf32>
    %723 = stablehlo.transpose %722, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %724 = stablehlo.dot_general %718, %arg42, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x128xf32>) -> tensor<8x128x128xf32>
    %725 = stablehlo.reshape %724 : (tensor<8x128x128xf32>) -> tensor<8x128x4x32xf32>
    %726 = stablehlo.transpose %725, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %727 = stablehlo.dot_general %726, %513, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x32x128xf32>
    %728 = stablehlo.transpose %727, dims = [0, 1, 3, 2] : (tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %729 = stablehlo.dot_general %726, %483, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x128xf32>
    %730 = stablehlo.broadcast_in_dim %516, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %731 = stablehlo.multiply %729, %730 : tensor<8x4x128x128xf32>
    %732 = stablehlo.multiply %731, %509 : tensor<8x4x128x128xf32>
    %cst_175 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %733 = stablehlo.reduce(%732 init: %cst_175) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %734 = stablehlo.reshape %733 : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %735 = stablehlo.negate %734 : tensor<8x4x128x1xf32>
    %736 = stablehlo.broadcast_in_dim %511, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %737 = stablehlo.divide %729, %736 : tensor<8x4x128x128xf32>
    %cst_176 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %738 = stablehlo.reduce(%735 init: %cst_176) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x1xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %739 = stablehlo.broadcast_in_dim %738, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x128xf32>
    %740 = stablehlo.add %737, %739 : tensor<8x4x128x128xf32>
    %741 = stablehlo.multiply %740, %509 : tensor<8x4x128x128xf32>
    %742 = call @_where_2(%488#1, %488#2, %741) : (tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xf32>
    %cst_177 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %743 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %744 = stablehlo.multiply %742, %743 : tensor<8x4x128x128xf32>
    %745 = stablehlo.dot_general %744, %477, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x32xf32>
    %746 = stablehlo.transpose %745, dims = [0, 1, 3, 2] : (tensor<8x4x128x32xf32>) -> tensor<8x4x32x128xf32>
    %747 = stablehlo.dot_general %744, %484, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %748 = stablehlo.transpose %746, dims = [0, 1, 3, 2] : (tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %749 = stablehlo.transpose %728, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %750 = stablehlo.broadcast_in_dim %749, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_178 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %751 = stablehlo.pad %750, %cst_178, low = [0, 0, 2, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %752 = stablehlo.transpose %748, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %753 = stablehlo.broadcast_in_dim %752, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_179 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %754 = stablehlo.pad %753, %cst_179, low = [0, 0, 1, 0, 0], high = [0, 0, 1, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %755 = stablehlo.add %751, %754 : tensor<8x128x3x4x32xf32>
    %756 = stablehlo.transpose %747, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %757 = stablehlo.broadcast_in_dim %756, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_180 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %758 = stablehlo.pad %757, %cst_180, low = [0, 0, 0, 0, 0], high = [0, 0, 2, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %759 = stablehlo.add %755, %758 : tensor<8x128x3x4x32xf32>
    %760 = stablehlo.reshape %759 : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x384xf32>
    %cst_181 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %761 = stablehlo.reduce(%760 init: %cst_181) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x384xf32>, tensor<f32>) -> tensor<384xf32>
    %762 = stablehlo.reshape %761 : (tensor<384xf32>) -> tensor<1x1x384xf32>
    %cst_182 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %763 = stablehlo.reduce(%762 init: %cst_182) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x384xf32>, tensor<f32>) -> tensor<384xf32>
    %764 = stablehlo.dot_general %760, %469, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x384xf32>, tensor<8x128x128xf32>) -> tensor<384x128xf32>
    %765 = stablehlo.transpose %764, dims = [1, 0] : (tensor<384x128xf32>) -> tensor<128x384xf32>
    %766 = stablehlo.dot_general %760, %arg40, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x384xf32>, tensor<128x384xf32>) -> tensor<8x128x128xf32>
    %cst_183 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %767 = stablehlo.reduce(%766 init: %cst_183) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %768 = stablehlo.reshape %767 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_184 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %769 = stablehlo.reduce(%768 init: %cst_184) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %770 = stablehlo.multiply %463, %766 : tensor<8x128x128xf32>
    %cst_185 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %771 = stablehlo.reduce(%770 init: %cst_185) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %772 = stablehlo.reshape %771 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %773 = stablehlo.broadcast_in_dim %464, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %774 = stablehlo.multiply %766, %773 : tensor<8x128x128xf32>
    %cst_186 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %775 = stablehlo.reduce(%772 init: %cst_186) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %776 = stablehlo.multiply %455, %774 : tensor<8x128x128xf32>
    %cst_187 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %777 = stablehlo.reduce(%776 init: %cst_187) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %778 = stablehlo.reshape %777 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %779 = stablehlo.broadcast_in_dim %458, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %780 = stablehlo.multiply %774, %779 : tensor<8x128x128xf32>
    %781 = stablehlo.multiply %778, %461 : tensor<8x128x1xf32>
    %782 = stablehlo.negate %780 : tensor<8x128x128xf32>
    %cst_188 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %783 = stablehlo.reduce(%782 init: %cst_188) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %784 = stablehlo.reshape %783 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %785 = stablehlo.add %718, %780 : tensor<8x128x128xf32>
    %cst_189 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %786 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %787 = stablehlo.divide %781, %786 : tensor<8x128x1xf32>
    %cst_190 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %788 = stablehlo.reduce(%787 init: %cst_190) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %789 = stablehlo.broadcast_in_dim %788, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %790 = stablehlo.multiply %789, %449 : tensor<8x128x128xf32>
    %791 = stablehlo.negate %790 : tensor<8x128x128xf32>
    %cst_191 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %792 = stablehlo.reduce(%791 init: %cst_191) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %793 = stablehlo.reshape %792 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %794 = stablehlo.add %785, %790 : tensor<8x128x128xf32>
    %795 = stablehlo.add %784, %793 : tensor<8x128x1xf32>
    %cst_192 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %796 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %797 = stablehlo.divide %795, %796 : tensor<8x128x1xf32>
    %cst_193 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %798 = stablehlo.reduce(%797 init: %cst_193) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %799 = stablehlo.broadcast_in_dim %798, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %800 = stablehlo.add %794, %799 : tensor<8x128x128xf32>
    %cst_194 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %801 = stablehlo.reduce(%800 init: %cst_194) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %802 = stablehlo.reshape %801 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_195 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %803 = stablehlo.reduce(%802 init: %cst_195) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %804 = stablehlo.dot_general %800, %435, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<8x128x512xf32>) -> tensor<128x512xf32>
    %805 = stablehlo.transpose %804, dims = [1, 0] : (tensor<128x512xf32>) -> tensor<512x128xf32>
    %806 = stablehlo.dot_general %800, %arg36, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<512x128xf32>) -> tensor<8x128x512xf32>
    %807 = stablehlo.multiply %414, %806 : tensor<8x128x512xf32>
    %808 = stablehlo.multiply %806, %434 : tensor<8x128x512xf32>
    %cst_196 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %809 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %810 = stablehlo.multiply %809, %807 : tensor<8x128x512xf32>
    %811 = stablehlo.multiply %810, %430 : tensor<8x128x512xf32>
    %cst_197 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %812 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %813 = stablehlo.multiply %812, %811 : tensor<8x128x512xf32>
    %814 = stablehlo.add %808, %813 : tensor<8x128x512xf32>
    %cst_198 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %815 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %816 = stablehlo.multiply %815, %813 : tensor<8x128x512xf32>
    %817 = stablehlo.multiply %816, %419 : tensor<8x128x512xf32>
    %818 = stablehlo.add %814, %817 : tensor<8x128x512xf32>
    %cst_199 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %819 = stablehlo.reduce(%818 init: %cst_199) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<512xf32>
    %820 = stablehlo.reshape %819 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %cst_200 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %821 = stablehlo.reduce(%820 init: %cst_200) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x512xf32>, tensor<f32>) -> tensor<512xf32>
    %822 = stablehlo.dot_general %818, %410, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x128xf32>) -> tensor<512x128xf32>
    %823 = stablehlo.transpose %822, dims = [1, 0] : (tensor<512x128xf32>) -> tensor<128x512xf32>
    %824 = stablehlo.dot_general %818, %arg34, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<128x512xf32>) -> tensor<8x128x128xf32>
    %cst_201 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %825 = stablehlo.reduce(%824 init: %cst_201) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %826 = stablehlo.reshape %825 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_202 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %827 = stablehlo.reduce(%826 init: %cst_202) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %828 = stablehlo.multiply %404, %824 : tensor<8x128x128xf32>
    %cst_203 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %829 = stablehlo.reduce(%828 init: %cst_203) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %830 = stablehlo.reshape %829 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %831 = stablehlo.broadcast_in_dim %405, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %832 = stablehlo.multiply %824, %831 : tensor<8x128x128xf32>
    %cst_204 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %833 = stablehlo.reduce(%830 init: %cst_204) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %834 = stablehlo.multiply %396, %832 : tensor<8x128x128xf32>
    %cst_205 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %835 = stablehlo.reduce(%834 init: %cst_205) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %836 = stablehlo.reshape %835 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %837 = stablehlo.broadcast_in_dim %399, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %838 = stablehlo.multiply %832, %837 : tensor<8x128x128xf32>
    %839 = stablehlo.multiply %836, %402 : tensor<8x128x1xf32>
    %840 = stablehlo.negate %838 : tensor<8x128x128xf32>
    %cst_206 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %841 = stablehlo.reduce(%840 init: %cst_206) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %842 = stablehlo.reshape %841 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %843 = stablehlo.add %800, %838 : tensor<8x128x128xf32>
    %cst_207 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %844 = stablehlo.broadcast_in_dim %cst_207, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %845 = stablehlo.divide %839, %844 : tensor<8x128x1xf32>
    %cst_208 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %846 = stablehlo.reduce(%845 init: %cst_208) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %847 = stablehlo.broadcast_in_dim %846, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %848 = stablehlo.multiply %847, %390 : tensor<8x128x128xf32>
    %849 = stablehlo.negate %848 : tensor<8x128x128xf32>
    %cst_209 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %850 = stablehlo.reduce(%849 init: %cst_209) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %851 = stablehlo.reshape %850 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %852 = stablehlo.add %843, %848 : tensor<8x128x128xf32>
    %853 = stablehlo.add %842, %851 : tensor<8x128x1xf32>
    %cst_210 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %854 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %855 = stablehlo.divide %853, %854 : tensor<8x128x1xf32>
    %cst_211 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %856 = stablehlo.reduce(%855 init: %cst_211) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %857 = stablehlo.broadcast_in_dim %856, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %858 = stablehlo.add %852, %857 : tensor<8x128x128xf32>
    %cst_212 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %859 = stablehlo.reduce(%858 init: %cst_212) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %860 = stablehlo.reshape %859 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_213 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %861 = stablehlo.reduce(%860 init: %cst_213) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %862 = stablehlo.dot_general %858, %376, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<8x128x128xf32>) -> tensor<128x128xf32>
    %863 = stablehlo.transpose %862, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %864 = stablehlo.dot_general %858, %arg30, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x128xf32>) -> tensor<8x128x128xf32>
    %865 = stablehlo.reshape %864 : (tensor<8x128x128xf32>) -> tensor<8x128x4x32xf32>
    %866 = stablehlo.transpose %865, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %867 = stablehlo.dot_general %866, %370, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x32x128xf32>
    %868 = stablehlo.transpose %867, dims = [0, 1, 3, 2] : (tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %869 = stablehlo.dot_general %866, %340, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x128xf32>
    %870 = stablehlo.broadcast_in_dim %373, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %871 = stablehlo.multiply %869, %870 : tensor<8x4x128x128xf32>
    %872 = stablehlo.multiply %871, %366 : tensor<8x4x128x128xf32>
    %cst_214 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %873 = stablehlo.reduce(%872 init: %cst_214) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %874 = stablehlo.reshape %873 : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %875 = stablehlo.negate %874 : tensor<8x4x128x1xf32>
    %876 = stablehlo.broadcast_in_dim %368, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %877 = stablehlo.divide %869, %876 : tensor<8x4x128x128xf32>
    %cst_215 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %878 = stablehlo.reduce(%875 init: %cst_215) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x1xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %879 = stablehlo.broadcast_in_dim %878, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x128xf32>
    %880 = stablehlo.add %877, %879 : tensor<8x4x128x128xf32>
    %881 = stablehlo.multiply %880, %366 : tensor<8x4x128x128xf32>
    %882 = call @_where_2(%345#1, %345#2, %881) : (tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xf32>
    %cst_216 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %883 = stablehlo.broadcast_in_dim %cst_216, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %884 = stablehlo.multiply %882, %883 : tensor<8x4x128x128xf32>
    %885 = stablehlo.dot_general %884, %334, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x32xf32>
    %886 = stablehlo.transpose %885, dims = [0, 1, 3, 2] : (tensor<8x4x128x32xf32>) -> tensor<8x4x32x128xf32>
    %887 = stablehlo.dot_general %884, %341, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %888 = stablehlo.transpose %886, dims = [0, 1, 3, 2] : (tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %889 = stablehlo.transpose %868, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %890 = stablehlo.broadcast_in_dim %889, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_217 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %891 = stablehlo.pad %890, %cst_217, low = [0, 0, 2, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %892 = stablehlo.transpose %888, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %893 = stablehlo.broadcast_in_dim %892, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_218 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %894 = stablehlo.pad %893, %cst_218, low = [0, 0, 1, 0, 0], high = [0, 0, 1, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %895 = stablehlo.add %891, %894 : tensor<8x128x3x4x32xf32>
    %896 = stablehlo.transpose %887, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %897 = stablehlo.broadcast_in_dim %896, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_219 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %898 = stablehlo.pad %897, %cst_219, low = [0, 0, 0, 0, 0], high = [0, 0, 2, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %899 = stablehlo.add %895, %898 : tensor<8x128x3x4x32xf32>
    %900 = stablehlo.reshape %899 : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x384xf32>
    %cst_220 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %901 = stablehlo.reduce(%900 init: %cst_220) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x384xf32>, tensor<f32>) -> tensor<384xf32>
    %902 = stablehlo.reshape %901 : (tensor<384xf32>) -> tensor<1x1x384xf32>
    %cst_221 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %903 = stablehlo.reduce(%902 init: %cst_221) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x384xf32>, tensor<f32>) -> tensor<384xf32>
    %904 = stablehlo.dot_general %900, %326, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x384xf32>, tensor<8x128x128xf32>) -> tensor<384x128xf32>
    %905 = stablehlo.transpose %904, dims = [1, 0] : (tensor<384x128xf32>) -> tensor<128x384xf32>
    %906 = stablehlo.dot_general %900, %arg28, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x384xf32>, tensor<128x384xf32>) -> tensor<8x128x128xf32>
    %cst_222 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %907 = stablehlo.reduce(%906 init: %cst_222) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %908 = stablehlo.reshape %907 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_223 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %909 = stablehlo.reduce(%908 init: %cst_223) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %910 = stablehlo.multiply %320, %906 : tensor<8x128x128xf32>
    %cst_224 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %911 = stablehlo.reduce(%910 init: %cst_224) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %912 = stablehlo.reshape %911 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %913 = stablehlo.broadcast_in_dim %321, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %914 = stablehlo.multiply %906, %913 : tensor<8x128x128xf32>
    %cst_225 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %915 = stablehlo.reduce(%912 init: %cst_225) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %916 = stablehlo.multiply %312, %914 : tensor<8x128x128xf32>
    %cst_226 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %917 = stablehlo.reduce(%916 init: %cst_226) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %918 = stablehlo.reshape %917 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %919 = stablehlo.broadcast_in_dim %315, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %920 = stablehlo.multiply %914, %919 : tensor<8x128x128xf32>
    %921 = stablehlo.multiply %918, %318 : tensor<8x128x1xf32>
    %922 = stablehlo.negate %920 : tensor<8x128x128xf32>
    %cst_227 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %923 = stablehlo.reduce(%922 init: %cst_227) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %924 = stablehlo.reshape %923 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %925 = stablehlo.add %858, %920 : tensor<8x128x128xf32>
    %cst_228 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %926 = stablehlo.broadcast_in_dim %cst_228, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %927 = stablehlo.divide %921, %926 : tensor<8x128x1xf32>
    %cst_229 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %928 = stablehlo.reduce(%927 init: %cst_229) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %929 = stablehlo.broadcast_in_dim %928, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %930 = stablehlo.multiply %929, %306 : tensor<8x128x128xf32>
    %931 = stablehlo.negate %930 : tensor<8x128x128xf32>
    %cst_230 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %932 = stablehlo.reduce(%931 init: %cst_230) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %933 = stablehlo.reshape %932 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %934 = stablehlo.add %925, %930 : tensor<8x128x128xf32>
    %935 = stablehlo.add %924, %933 : tensor<8x128x1xf32>
    %cst_231 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %936 = stablehlo.broadcast_in_dim %cst_231, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %937 = stablehlo.divide %935, %936 : tensor<8x128x1xf32>
    %cst_232 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %938 = stablehlo.reduce(%937 init: %cst_232) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %939 = stablehlo.broadcast_in_dim %938, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %940 = stablehlo.add %934, %939 : tensor<8x128x128xf32>
    %cst_233 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %941 = stablehlo.reduce(%940 init: %cst_233) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %942 = stablehlo.reshape %941 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_234 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %943 = stablehlo.reduce(%942 init: %cst_234) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %944 = stablehlo.dot_general %940, %292, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<8x128x512xf32>) -> tensor<128x512xf32>
    %945 = stablehlo.transpose %944, dims = [1, 0] : (tensor<128x512xf32>) -> tensor<512x128xf32>
    %946 = stablehlo.dot_general %940, %arg24, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<512x128xf32>) -> tensor<8x128x512xf32>
    %947 = stablehlo.multiply %271, %946 : tensor<8x128x512xf32>
    %948 = stablehlo.multiply %946, %291 : tensor<8x128x512xf32>
    %cst_235 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %949 = stablehlo.broadcast_in_dim %cst_235, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %950 = stablehlo.multiply %949, %947 : tensor<8x128x512xf32>
    %951 = stablehlo.multiply %950, %287 : tensor<8x128x512xf32>
    %cst_236 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %952 = stablehlo.broadcast_in_dim %cst_236, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %953 = stablehlo.multiply %952, %951 : tensor<8x128x512xf32>
    %954 = stablehlo.add %948, %953 : tensor<8x128x512xf32>
    %cst_237 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %955 = stablehlo.broadcast_in_dim %cst_237, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %956 = stablehlo.multiply %955, %953 : tensor<8x128x512xf32>
    %957 = stablehlo.multiply %956, %276 : tensor<8x128x512xf32>
    %958 = stablehlo.add %954, %957 : tensor<8x128x512xf32>
    %cst_238 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %959 = stablehlo.reduce(%958 init: %cst_238) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<512xf32>
    %960 = stablehlo.reshape %959 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %cst_239 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %961 = stablehlo.reduce(%960 init: %cst_239) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x512xf32>, tensor<f32>) -> tensor<512xf32>
    %962 = stablehlo.dot_general %958, %267, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x128xf32>) -> tensor<512x128xf32>
    %963 = stablehlo.transpose %962, dims = [1, 0] : (tensor<512x128xf32>) -> tensor<128x512xf32>
    %964 = stablehlo.dot_general %958, %arg22, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<128x512xf32>) -> tensor<8x128x128xf32>
    %cst_240 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %965 = stablehlo.reduce(%964 init: %cst_240) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %966 = stablehlo.reshape %965 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_241 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %967 = stablehlo.reduce(%966 init: %cst_241) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %968 = stablehlo.multiply %261, %964 : tensor<8x128x128xf32>
    %cst_242 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %969 = stablehlo.reduce(%968 init: %cst_242) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %970 = stablehlo.reshape %969 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %971 = stablehlo.broadcast_in_dim %262, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %972 = stablehlo.multiply %964, %971 : tensor<8x128x128xf32>
    %cst_243 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %973 = stablehlo.reduce(%970 init: %cst_243) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %974 = stablehlo.multiply %253, %972 : tensor<8x128x128xf32>
    %cst_244 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %975 = stablehlo.reduce(%974 init: %cst_244) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %976 = stablehlo.reshape %975 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %977 = stablehlo.broadcast_in_dim %256, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %978 = stablehlo.multiply %972, %977 : tensor<8x128x128xf32>
    %979 = stablehlo.multiply %976, %259 : tensor<8x128x1xf32>
    %980 = stablehlo.negate %978 : tensor<8x128x128xf32>
    %cst_245 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %981 = stablehlo.reduce(%980 init: %cst_245) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %982 = stablehlo.reshape %981 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %983 = stablehlo.add %940, %978 : tensor<8x128x128xf32>
    %cst_246 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %984 = stablehlo.broadcast_in_dim %cst_246, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %985 = stablehlo.divide %979, %984 : tensor<8x128x1xf32>
    %cst_247 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %986 = stablehlo.reduce(%985 init: %cst_247) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %987 = stablehlo.broadcast_in_dim %986, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %988 = stablehlo.multiply %987, %247 : tensor<8x128x128xf32>
    %989 = stablehlo.negate %988 : tensor<8x128x128xf32>
    %cst_248 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %990 = stablehlo.reduce(%989 init: %cst_248) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %991 = stablehlo.reshape %990 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %992 = stablehlo.add %983, %988 : tensor<8x128x128xf32>
    %993 = stablehlo.add %982, %991 : tensor<8x128x1xf32>
    %cst_249 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %994 = stablehlo.broadcast_in_dim %cst_249, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %995 = stablehlo.divide %993, %994 : tensor<8x128x1xf32>
    %cst_250 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %996 = stablehlo.reduce(%995 init: %cst_250) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %997 = stablehlo.broadcast_in_dim %996, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %998 = stablehlo.add %992, %997 : tensor<8x128x128xf32>
    %cst_251 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %999 = stablehlo.reduce(%998 init: %cst_251) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1000 = stablehlo.reshape %999 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_252 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1001 = stablehlo.reduce(%1000 init: %cst_252) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1002 = stablehlo.dot_general %998, %233, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<8x128x128xf32>) -> tensor<128x128xf32>
    %1003 = stablehlo.transpose %1002, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %1004 = stablehlo.dot_general %998, %arg18, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x128xf32>) -> tensor<8x128x128xf32>
    %1005 = stablehlo.reshape %1004 : (tensor<8x128x128xf32>) -> tensor<8x128x4x32xf32>
    %1006 = stablehlo.transpose %1005, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %1007 = stablehlo.dot_general %1006, %227, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x32x128xf32>
    %1008 = stablehlo.transpose %1007, dims = [0, 1, 3, 2] : (tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %1009 = stablehlo.dot_general %1006, %197, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x128xf32>
    %1010 = stablehlo.broadcast_in_dim %230, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %1011 = stablehlo.multiply %1009, %1010 : tensor<8x4x128x128xf32>
    %1012 = stablehlo.multiply %1011, %223 : tensor<8x4x128x128xf32>
    %cst_253 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1013 = stablehlo.reduce(%1012 init: %cst_253) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %1014 = stablehlo.reshape %1013 : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %1015 = stablehlo.negate %1014 : tensor<8x4x128x1xf32>
    %1016 = stablehlo.broadcast_in_dim %225, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %1017 = stablehlo.divide %1009, %1016 : tensor<8x4x128x128xf32>
    %cst_254 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1018 = stablehlo.reduce(%1015 init: %cst_254) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x1xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %1019 = stablehlo.broadcast_in_dim %1018, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x128xf32>
    %1020 = stablehlo.add %1017, %1019 : tensor<8x4x128x128xf32>
    %1021 = stablehlo.multiply %1020, %223 : tensor<8x4x128x128xf32>
    %1022 = call @_where_2(%202#1, %202#2, %1021) : (tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xf32>
    %cst_255 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %1023 = stablehlo.broadcast_in_dim %cst_255, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %1024 = stablehlo.multiply %1022, %1023 : tensor<8x4x128x128xf32>
    %1025 = stablehlo.dot_general %1024, %191, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x32xf32>
    %1026 = stablehlo.transpose %1025, dims = [0, 1, 3, 2] : (tensor<8x4x128x32xf32>) -> tensor<8x4x32x128xf32>
    %1027 = stablehlo.dot_general %1024, %198, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %1028 = stablehlo.transpose %1026, dims = [0, 1, 3, 2] : (tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %1029 = stablehlo.transpose %1008, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %1030 = stablehlo.broadcast_in_dim %1029, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_256 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1031 = stablehlo.pad %1030, %cst_256, low = [0, 0, 2, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %1032 = stablehlo.transpose %1028, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %1033 = stablehlo.broadcast_in_dim %1032, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_257 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1034 = stablehlo.pad %1033, %cst_257, low = [0, 0, 1, 0, 0], high = [0, 0, 1, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %1035 = stablehlo.add %1031, %1034 : tensor<8x128x3x4x32xf32>
    %1036 = stablehlo.transpose %1027, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %1037 = stablehlo.broadcast_in_dim %1036, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_258 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1038 = stablehlo.pad %1037, %cst_258, low = [0, 0, 0, 0, 0], high = [0, 0, 2, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %1039 = stablehlo.add %1035, %1038 : tensor<8x128x3x4x32xf32>
    %1040 = stablehlo.reshape %1039 : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x384xf32>
    %cst_259 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1041 = stablehlo.reduce(%1040 init: %cst_259) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x384xf32>, tensor<f32>) -> tensor<384xf32>
    %1042 = stablehlo.reshape %1041 : (tensor<384xf32>) -> tensor<1x1x384xf32>
    %cst_260 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1043 = stablehlo.reduce(%1042 init: %cst_260) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x384xf32>, tensor<f32>) -> tensor<384xf32>
    %1044 = stablehlo.dot_general %1040, %183, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x384xf32>, tensor<8x128x128xf32>) -> tensor<384x128xf32>
    %1045 = stablehlo.transpose %1044, dims = [1, 0] : (tensor<384x128xf32>) -> tensor<128x384xf32>
    %1046 = stablehlo.dot_general %1040, %arg16, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x384xf32>, tensor<128x384xf32>) -> tensor<8x128x128xf32>
    %cst_261 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1047 = stablehlo.reduce(%1046 init: %cst_261) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1048 = stablehlo.reshape %1047 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_262 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1049 = stablehlo.reduce(%1048 init: %cst_262) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1050 = stablehlo.multiply %177, %1046 : tensor<8x128x128xf32>
    %cst_263 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1051 = stablehlo.reduce(%1050 init: %cst_263) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1052 = stablehlo.reshape %1051 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %1053 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %1054 = stablehlo.multiply %1046, %1053 : tensor<8x128x128xf32>
    %cst_264 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1055 = stablehlo.reduce(%1052 init: %cst_264) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1056 = stablehlo.multiply %169, %1054 : tensor<8x128x128xf32>
    %cst_265 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1057 = stablehlo.reduce(%1056 init: %cst_265) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1058 = stablehlo.reshape %1057 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %1059 = stablehlo.broadcast_in_dim %172, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %1060 = stablehlo.multiply %1054, %1059 : tensor<8x128x128xf32>
    %1061 = stablehlo.multiply %1058, %175 : tensor<8x128x1xf32>
    %1062 = stablehlo.negate %1060 : tensor<8x128x128xf32>
    %cst_266 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1063 = stablehlo.reduce(%1062 init: %cst_266) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1064 = stablehlo.reshape %1063 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %1065 = stablehlo.add %998, %1060 : tensor<8x128x128xf32>
    %cst_267 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %1066 = stablehlo.broadcast_in_dim %cst_267, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %1067 = stablehlo.divide %1061, %1066 : tensor<8x128x1xf32>
    %cst_268 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1068 = stablehlo.reduce(%1067 init: %cst_268) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1069 = stablehlo.broadcast_in_dim %1068, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %1070 = stablehlo.multiply %1069, %163 : tensor<8x128x128xf32>
    %1071 = stablehlo.negate %1070 : tensor<8x128x128xf32>
    %cst_269 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1072 = stablehlo.reduce(%1071 init: %cst_269) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1073 = stablehlo.reshape %1072 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %1074 = stablehlo.add %1065, %1070 : tensor<8x128x128xf32>
    %1075 = stablehlo.add %1064, %1073 : tensor<8x128x1xf32>
    %cst_270 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %1076 = stablehlo.broadcast_in_dim %cst_270, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %1077 = stablehlo.divide %1075, %1076 : tensor<8x128x1xf32>
    %cst_271 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1078 = stablehlo.reduce(%1077 init: %cst_271) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1079 = stablehlo.broadcast_in_dim %1078, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %1080 = stablehlo.add %1074, %1079 : tensor<8x128x128xf32>
    %cst_272 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1081 = stablehlo.reduce(%1080 init: %cst_272) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1082 = stablehlo.reshape %1081 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_273 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1083 = stablehlo.reduce(%1082 init: %cst_273) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1084 = stablehlo.dot_general %1080, %149, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<8x128x512xf32>) -> tensor<128x512xf32>
    %1085 = stablehlo.transpose %1084, dims = [1, 0] : (tensor<128x512xf32>) -> tensor<512x128xf32>
    %1086 = stablehlo.dot_general %1080, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<512x128xf32>) -> tensor<8x128x512xf32>
    %1087 = stablehlo.multiply %128, %1086 : tensor<8x128x512xf32>
    %1088 = stablehlo.multiply %1086, %148 : tensor<8x128x512xf32>
    %cst_274 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1089 = stablehlo.broadcast_in_dim %cst_274, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %1090 = stablehlo.multiply %1089, %1087 : tensor<8x128x512xf32>
    %1091 = stablehlo.multiply %1090, %144 : tensor<8x128x512xf32>
    %cst_275 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %1092 = stablehlo.broadcast_in_dim %cst_275, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %1093 = stablehlo.multiply %1092, %1091 : tensor<8x128x512xf32>
    %1094 = stablehlo.add %1088, %1093 : tensor<8x128x512xf32>
    %cst_276 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %1095 = stablehlo.broadcast_in_dim %cst_276, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %1096 = stablehlo.multiply %1095, %1093 : tensor<8x128x512xf32>
    %1097 = stablehlo.multiply %1096, %133 : tensor<8x128x512xf32>
    %1098 = stablehlo.add %1094, %1097 : tensor<8x128x512xf32>
    %cst_277 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1099 = stablehlo.reduce(%1098 init: %cst_277) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<512xf32>
    %1100 = stablehlo.reshape %1099 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %cst_278 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1101 = stablehlo.reduce(%1100 init: %cst_278) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x512xf32>, tensor<f32>) -> tensor<512xf32>
    %1102 = stablehlo.dot_general %1098, %124, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x128xf32>) -> tensor<512x128xf32>
    %1103 = stablehlo.transpose %1102, dims = [1, 0] : (tensor<512x128xf32>) -> tensor<128x512xf32>
    %1104 = stablehlo.dot_general %1098, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<128x512xf32>) -> tensor<8x128x128xf32>
    %cst_279 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1105 = stablehlo.reduce(%1104 init: %cst_279) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1106 = stablehlo.reshape %1105 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_280 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1107 = stablehlo.reduce(%1106 init: %cst_280) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1108 = stablehlo.multiply %118, %1104 : tensor<8x128x128xf32>
    %cst_281 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1109 = stablehlo.reduce(%1108 init: %cst_281) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1110 = stablehlo.reshape %1109 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %1111 = stablehlo.broadcast_in_dim %119, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %1112 = stablehlo.multiply %1104, %1111 : tensor<8x128x128xf32>
    %cst_282 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1113 = stablehlo.reduce(%1110 init: %cst_282) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1114 = stablehlo.multiply %110, %1112 : tensor<8x128x128xf32>
    %cst_283 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1115 = stablehlo.reduce(%1114 init: %cst_283) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1116 = stablehlo.reshape %1115 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %1117 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %1118 = stablehlo.multiply %1112, %1117 : tensor<8x128x128xf32>
    %1119 = stablehlo.multiply %1116, %116 : tensor<8x128x1xf32>
    %1120 = stablehlo.negate %1118 : tensor<8x128x128xf32>
    %cst_284 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1121 = stablehlo.reduce(%1120 init: %cst_284) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1122 = stablehlo.reshape %1121 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %1123 = stablehlo.add %1080, %1118 : tensor<8x128x128xf32>
    %cst_285 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %1124 = stablehlo.broadcast_in_dim %cst_285, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %1125 = stablehlo.divide %1119, %1124 : tensor<8x128x1xf32>
    %cst_286 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1126 = stablehlo.reduce(%1125 init: %cst_286) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1127 = stablehlo.broadcast_in_dim %1126, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %1128 = stablehlo.multiply %1127, %104 : tensor<8x128x128xf32>
    %1129 = stablehlo.negate %1128 : tensor<8x128x128xf32>
    %cst_287 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1130 = stablehlo.reduce(%1129 init: %cst_287) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1131 = stablehlo.reshape %1130 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %1132 = stablehlo.add %1123, %1128 : tensor<8x128x128xf32>
    %1133 = stablehlo.add %1122, %1131 : tensor<8x128x1xf32>
    %cst_288 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %1134 = stablehlo.broadcast_in_dim %cst_288, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %1135 = stablehlo.divide %1133, %1134 : tensor<8x128x1xf32>
    %cst_289 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1136 = stablehlo.reduce(%1135 init: %cst_289) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1137 = stablehlo.broadcast_in_dim %1136, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %1138 = stablehlo.add %1132, %1137 : tensor<8x128x128xf32>
    %cst_290 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1139 = stablehlo.reduce(%1138 init: %cst_290) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1140 = stablehlo.reshape %1139 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_291 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1141 = stablehlo.reduce(%1140 init: %cst_291) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1142 = stablehlo.dot_general %1138, %90, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<8x128x128xf32>) -> tensor<128x128xf32>
    %1143 = stablehlo.transpose %1142, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %1144 = stablehlo.dot_general %1138, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x128xf32>, tensor<128x128xf32>) -> tensor<8x128x128xf32>
    %1145 = stablehlo.reshape %1144 : (tensor<8x128x128xf32>) -> tensor<8x128x4x32xf32>
    %1146 = stablehlo.transpose %1145, dims = [0, 2, 1, 3] : (tensor<8x128x4x32xf32>) -> tensor<8x4x128x32xf32>
    %1147 = stablehlo.dot_general %1146, %84, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x32x128xf32>
    %1148 = stablehlo.transpose %1147, dims = [0, 1, 3, 2] : (tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %1149 = stablehlo.dot_general %1146, %54, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x32xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x128xf32>
    %1150 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %1151 = stablehlo.multiply %1149, %1150 : tensor<8x4x128x128xf32>
    %1152 = stablehlo.multiply %1151, %80 : tensor<8x4x128x128xf32>
    %cst_292 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1153 = stablehlo.reduce(%1152 init: %cst_292) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %1154 = stablehlo.reshape %1153 : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %1155 = stablehlo.negate %1154 : tensor<8x4x128x1xf32>
    %1156 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %1157 = stablehlo.divide %1149, %1156 : tensor<8x4x128x128xf32>
    %cst_293 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1158 = stablehlo.reduce(%1155 init: %cst_293) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x1xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %1159 = stablehlo.broadcast_in_dim %1158, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x128xf32>
    %1160 = stablehlo.add %1157, %1159 : tensor<8x4x128x128xf32>
    %1161 = stablehlo.multiply %1160, %80 : tensor<8x4x128x128xf32>
    %1162 = call @_where_2(%59#1, %59#2, %1161) : (tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xf32>
    %cst_294 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %1163 = stablehlo.broadcast_in_dim %cst_294, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %1164 = stablehlo.multiply %1162, %1163 : tensor<8x4x128x128xf32>
    %1165 = stablehlo.dot_general %1164, %48, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x32xf32>
    %1166 = stablehlo.transpose %1165, dims = [0, 1, 3, 2] : (tensor<8x4x128x32xf32>) -> tensor<8x4x32x128xf32>
    %1167 = stablehlo.dot_general %1164, %55, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %1168 = stablehlo.transpose %1166, dims = [0, 1, 3, 2] : (tensor<8x4x32x128xf32>) -> tensor<8x4x128x32xf32>
    %1169 = stablehlo.transpose %1148, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %1170 = stablehlo.broadcast_in_dim %1169, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_295 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1171 = stablehlo.pad %1170, %cst_295, low = [0, 0, 2, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %1172 = stablehlo.transpose %1168, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %1173 = stablehlo.broadcast_in_dim %1172, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_296 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1174 = stablehlo.pad %1173, %cst_296, low = [0, 0, 1, 0, 0], high = [0, 0, 1, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %1175 = stablehlo.add %1171, %1174 : tensor<8x128x3x4x32xf32>
    %1176 = stablehlo.transpose %1167, dims = [0, 2, 1, 3] : (tensor<8x4x128x32xf32>) -> tensor<8x128x4x32xf32>
    %1177 = stablehlo.broadcast_in_dim %1176, dims = [0, 1, 3, 4] : (tensor<8x128x4x32xf32>) -> tensor<8x128x1x4x32xf32>
    %cst_297 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1178 = stablehlo.pad %1177, %cst_297, low = [0, 0, 0, 0, 0], high = [0, 0, 2, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x128x1x4x32xf32>, tensor<f32>) -> tensor<8x128x3x4x32xf32>
    %1179 = stablehlo.add %1175, %1178 : tensor<8x128x3x4x32xf32>
    %1180 = stablehlo.reshape %1179 : (tensor<8x128x3x4x32xf32>) -> tensor<8x128x384xf32>
    %cst_298 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1181 = stablehlo.reduce(%1180 init: %cst_298) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x384xf32>, tensor<f32>) -> tensor<384xf32>
    %1182 = stablehlo.reshape %1181 : (tensor<384xf32>) -> tensor<1x1x384xf32>
    %cst_299 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1183 = stablehlo.reduce(%1182 init: %cst_299) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x384xf32>, tensor<f32>) -> tensor<384xf32>
    %1184 = stablehlo.dot_general %1180, %40, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x384xf32>, tensor<8x128x128xf32>) -> tensor<384x128xf32>
    %1185 = stablehlo.transpose %1184, dims = [1, 0] : (tensor<384x128xf32>) -> tensor<128x384xf32>
    %1186 = stablehlo.dot_general %1180, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x384xf32>, tensor<128x384xf32>) -> tensor<8x128x128xf32>
    %cst_300 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1187 = stablehlo.reduce(%1186 init: %cst_300) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1188 = stablehlo.reshape %1187 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_301 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1189 = stablehlo.reduce(%1188 init: %cst_301) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1190 = stablehlo.multiply %34, %1186 : tensor<8x128x128xf32>
    %cst_302 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1191 = stablehlo.reduce(%1190 init: %cst_302) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1192 = stablehlo.reshape %1191 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %1193 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x128x128xf32>
    %1194 = stablehlo.multiply %1186, %1193 : tensor<8x128x128xf32>
    %cst_303 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1195 = stablehlo.reduce(%1192 init: %cst_303) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %1196 = stablehlo.multiply %26, %1194 : tensor<8x128x128xf32>
    %cst_304 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1197 = stablehlo.reduce(%1196 init: %cst_304) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1198 = stablehlo.reshape %1197 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %1199 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
    %1200 = stablehlo.multiply %1194, %1199 : tensor<8x128x128xf32>
    %1201 = stablehlo.multiply %1198, %32 : tensor<8x128x1xf32>
    %1202 = stablehlo.negate %1200 : tensor<8x128x128xf32>
    %cst_305 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1203 = stablehlo.reduce(%1202 init: %cst_305) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1204 = stablehlo.reshape %1203 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %1205 = stablehlo.add %1138, %1200 : tensor<8x128x128xf32>
    %cst_306 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %1206 = stablehlo.broadcast_in_dim %cst_306, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %1207 = stablehlo.divide %1201, %1206 : tensor<8x128x1xf32>
    %cst_307 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1208 = stablehlo.reduce(%1207 init: %cst_307) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1209 = stablehlo.broadcast_in_dim %1208, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %1210 = stablehlo.multiply %1209, %20 : tensor<8x128x128xf32>
    %1211 = stablehlo.negate %1210 : tensor<8x128x128xf32>
    %cst_308 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1212 = stablehlo.reduce(%1211 init: %cst_308) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1213 = stablehlo.reshape %1212 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %1214 = stablehlo.add %1205, %1210 : tensor<8x128x128xf32>
    %1215 = stablehlo.add %1204, %1213 : tensor<8x128x1xf32>
    %cst_309 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %1216 = stablehlo.broadcast_in_dim %cst_309, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %1217 = stablehlo.divide %1215, %1216 : tensor<8x128x1xf32>
    %cst_310 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1218 = stablehlo.reduce(%1217 init: %cst_310) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %1219 = stablehlo.broadcast_in_dim %1218, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
    %1220 = stablehlo.add %1214, %1219 : tensor<8x128x128xf32>
    %cst_311 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1221 = stablehlo.reduce(%1220 init: %cst_311) applies stablehlo.add across dimensions = [0] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<128x128xf32>
    %1222 = stablehlo.reshape %1221 : (tensor<128x128xf32>) -> tensor<1x128x128xf32>
    %cst_312 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1223 = stablehlo.reduce(%1222 init: %cst_312) applies stablehlo.add across dimensions = [0] : (tensor<1x128x128xf32>, tensor<f32>) -> tensor<128x128xf32>
    %cst_313 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1224 = stablehlo.broadcast_in_dim %cst_313, dims = [] : (tensor<f32>) -> tensor<256x128xf32>
    %1225 = "stablehlo.scatter"(%1224, %5, %1220) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg162: tensor<f32>, %arg163: tensor<f32>):
      %2556 = stablehlo.add %arg162, %arg163 : tensor<f32>
      stablehlo.return %2556 : tensor<f32>
    }) : (tensor<256x128xf32>, tensor<8x128x1xi32>, tensor<8x128x128xf32>) -> tensor<256x128xf32>
    %cst_314 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1226 = stablehlo.add %arg159, %cst_314 : tensor<f32>
    %cst_315 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1227 = stablehlo.broadcast_in_dim %cst_315, dims = [] : (tensor<f32>) -> tensor<256x128xf32>
    %1228 = stablehlo.multiply %1227, %arg53 : tensor<256x128xf32>
    %cst_316 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1229 = stablehlo.broadcast_in_dim %cst_316, dims = [] : (tensor<f32>) -> tensor<256x128xf32>
    %1230 = stablehlo.multiply %1229, %1225 : tensor<256x128xf32>
    %1231 = stablehlo.add %1228, %1230 : tensor<256x128xf32>
    %cst_317 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1232 = stablehlo.broadcast_in_dim %cst_317, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1233 = stablehlo.multiply %1232, %arg54 : tensor<128x128xf32>
    %cst_318 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1234 = stablehlo.broadcast_in_dim %cst_318, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1235 = stablehlo.multiply %1234, %1223 : tensor<128x128xf32>
    %1236 = stablehlo.add %1233, %1235 : tensor<128x128xf32>
    %cst_319 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1237 = stablehlo.broadcast_in_dim %cst_319, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1238 = stablehlo.multiply %1237, %arg55 : tensor<128xf32>
    %cst_320 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1239 = stablehlo.broadcast_in_dim %cst_320, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1240 = stablehlo.multiply %1239, %1195 : tensor<128xf32>
    %1241 = stablehlo.add %1238, %1240 : tensor<128xf32>
    %cst_321 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1242 = stablehlo.broadcast_in_dim %cst_321, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1243 = stablehlo.multiply %1242, %arg56 : tensor<128xf32>
    %cst_322 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1244 = stablehlo.broadcast_in_dim %cst_322, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1245 = stablehlo.multiply %1244, %1189 : tensor<128xf32>
    %1246 = stablehlo.add %1243, %1245 : tensor<128xf32>
    %cst_323 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1247 = stablehlo.broadcast_in_dim %cst_323, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1248 = stablehlo.multiply %1247, %arg57 : tensor<128x384xf32>
    %cst_324 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1249 = stablehlo.broadcast_in_dim %cst_324, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1250 = stablehlo.multiply %1249, %1185 : tensor<128x384xf32>
    %1251 = stablehlo.add %1248, %1250 : tensor<128x384xf32>
    %cst_325 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1252 = stablehlo.broadcast_in_dim %cst_325, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1253 = stablehlo.multiply %1252, %arg58 : tensor<384xf32>
    %cst_326 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1254 = stablehlo.broadcast_in_dim %cst_326, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1255 = stablehlo.multiply %1254, %1183 : tensor<384xf32>
    %1256 = stablehlo.add %1253, %1255 : tensor<384xf32>
    %cst_327 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1257 = stablehlo.broadcast_in_dim %cst_327, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1258 = stablehlo.multiply %1257, %arg59 : tensor<128x128xf32>
    %cst_328 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1259 = stablehlo.broadcast_in_dim %cst_328, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1260 = stablehlo.multiply %1259, %1143 : tensor<128x128xf32>
    %1261 = stablehlo.add %1258, %1260 : tensor<128x128xf32>
    %cst_329 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1262 = stablehlo.broadcast_in_dim %cst_329, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1263 = stablehlo.multiply %1262, %arg60 : tensor<128xf32>
    %cst_330 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1264 = stablehlo.broadcast_in_dim %cst_330, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1265 = stablehlo.multiply %1264, %1141 : tensor<128xf32>
    %1266 = stablehlo.add %1263, %1265 : tensor<128xf32>
    %cst_331 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1267 = stablehlo.broadcast_in_dim %cst_331, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1268 = stablehlo.multiply %1267, %arg61 : tensor<128xf32>
    %cst_332 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1269 = stablehlo.broadcast_in_dim %cst_332, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1270 = stablehlo.multiply %1269, %1113 : tensor<128xf32>
    %1271 = stablehlo.add %1268, %1270 : tensor<128xf32>
    %cst_333 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1272 = stablehlo.broadcast_in_dim %cst_333, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1273 = stablehlo.multiply %1272, %arg62 : tensor<128xf32>
    %cst_334 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1274 = stablehlo.broadcast_in_dim %cst_334, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1275 = stablehlo.multiply %1274, %1107 : tensor<128xf32>
    %1276 = stablehlo.add %1273, %1275 : tensor<128xf32>
    %cst_335 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1277 = stablehlo.broadcast_in_dim %cst_335, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1278 = stablehlo.multiply %1277, %arg63 : tensor<128x512xf32>
    %cst_336 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1279 = stablehlo.broadcast_in_dim %cst_336, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1280 = stablehlo.multiply %1279, %1103 : tensor<128x512xf32>
    %1281 = stablehlo.add %1278, %1280 : tensor<128x512xf32>
    %cst_337 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1282 = stablehlo.broadcast_in_dim %cst_337, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1283 = stablehlo.multiply %1282, %arg64 : tensor<512xf32>
    %cst_338 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1284 = stablehlo.broadcast_in_dim %cst_338, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1285 = stablehlo.multiply %1284, %1101 : tensor<512xf32>
    %1286 = stablehlo.add %1283, %1285 : tensor<512xf32>
    %cst_339 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1287 = stablehlo.broadcast_in_dim %cst_339, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1288 = stablehlo.multiply %1287, %arg65 : tensor<512x128xf32>
    %cst_340 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1289 = stablehlo.broadcast_in_dim %cst_340, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1290 = stablehlo.multiply %1289, %1085 : tensor<512x128xf32>
    %1291 = stablehlo.add %1288, %1290 : tensor<512x128xf32>
    %cst_341 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1292 = stablehlo.broadcast_in_dim %cst_341, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1293 = stablehlo.multiply %1292, %arg66 : tensor<128xf32>
    %cst_342 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1294 = stablehlo.broadcast_in_dim %cst_342, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1295 = stablehlo.multiply %1294, %1083 : tensor<128xf32>
    %1296 = stablehlo.add %1293, %1295 : tensor<128xf32>
    %cst_343 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1297 = stablehlo.broadcast_in_dim %cst_343, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1298 = stablehlo.multiply %1297, %arg67 : tensor<128xf32>
    %cst_344 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1299 = stablehlo.broadcast_in_dim %cst_344, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1300 = stablehlo.multiply %1299, %1055 : tensor<128xf32>
    %1301 = stablehlo.add %1298, %1300 : tensor<128xf32>
    %cst_345 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1302 = stablehlo.broadcast_in_dim %cst_345, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1303 = stablehlo.multiply %1302, %arg68 : tensor<128xf32>
    %cst_346 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1304 = stablehlo.broadcast_in_dim %cst_346, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1305 = stablehlo.multiply %1304, %1049 : tensor<128xf32>
    %1306 = stablehlo.add %1303, %1305 : tensor<128xf32>
    %cst_347 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1307 = stablehlo.broadcast_in_dim %cst_347, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1308 = stablehlo.multiply %1307, %arg69 : tensor<128x384xf32>
    %cst_348 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1309 = stablehlo.broadcast_in_dim %cst_348, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1310 = stablehlo.multiply %1309, %1045 : tensor<128x384xf32>
    %1311 = stablehlo.add %1308, %1310 : tensor<128x384xf32>
    %cst_349 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1312 = stablehlo.broadcast_in_dim %cst_349, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1313 = stablehlo.multiply %1312, %arg70 : tensor<384xf32>
    %cst_350 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1314 = stablehlo.broadcast_in_dim %cst_350, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1315 = stablehlo.multiply %1314, %1043 : tensor<384xf32>
    %1316 = stablehlo.add %1313, %1315 : tensor<384xf32>
    %cst_351 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1317 = stablehlo.broadcast_in_dim %cst_351, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1318 = stablehlo.multiply %1317, %arg71 : tensor<128x128xf32>
    %cst_352 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1319 = stablehlo.broadcast_in_dim %cst_352, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1320 = stablehlo.multiply %1319, %1003 : tensor<128x128xf32>
    %1321 = stablehlo.add %1318, %1320 : tensor<128x128xf32>
    %cst_353 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1322 = stablehlo.broadcast_in_dim %cst_353, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1323 = stablehlo.multiply %1322, %arg72 : tensor<128xf32>
    %cst_354 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1324 = stablehlo.broadcast_in_dim %cst_354, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1325 = stablehlo.multiply %1324, %1001 : tensor<128xf32>
    %1326 = stablehlo.add %1323, %1325 : tensor<128xf32>
    %cst_355 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1327 = stablehlo.broadcast_in_dim %cst_355, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1328 = stablehlo.multiply %1327, %arg73 : tensor<128xf32>
    %cst_356 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1329 = stablehlo.broadcast_in_dim %cst_356, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1330 = stablehlo.multiply %1329, %973 : tensor<128xf32>
    %1331 = stablehlo.add %1328, %1330 : tensor<128xf32>
    %cst_357 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1332 = stablehlo.broadcast_in_dim %cst_357, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1333 = stablehlo.multiply %1332, %arg74 : tensor<128xf32>
    %cst_358 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1334 = stablehlo.broadcast_in_dim %cst_358, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1335 = stablehlo.multiply %1334, %967 : tensor<128xf32>
    %1336 = stablehlo.add %1333, %1335 : tensor<128xf32>
    %cst_359 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1337 = stablehlo.broadcast_in_dim %cst_359, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1338 = stablehlo.multiply %1337, %arg75 : tensor<128x512xf32>
    %cst_360 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1339 = stablehlo.broadcast_in_dim %cst_360, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1340 = stablehlo.multiply %1339, %963 : tensor<128x512xf32>
    %1341 = stablehlo.add %1338, %1340 : tensor<128x512xf32>
    %cst_361 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1342 = stablehlo.broadcast_in_dim %cst_361, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1343 = stablehlo.multiply %1342, %arg76 : tensor<512xf32>
    %cst_362 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1344 = stablehlo.broadcast_in_dim %cst_362, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1345 = stablehlo.multiply %1344, %961 : tensor<512xf32>
    %1346 = stablehlo.add %1343, %1345 : tensor<512xf32>
    %cst_363 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1347 = stablehlo.broadcast_in_dim %cst_363, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1348 = stablehlo.multiply %1347, %arg77 : tensor<512x128xf32>
    %cst_364 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1349 = stablehlo.broadcast_in_dim %cst_364, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1350 = stablehlo.multiply %1349, %945 : tensor<512x128xf32>
    %1351 = stablehlo.add %1348, %1350 : tensor<512x128xf32>
    %cst_365 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1352 = stablehlo.broadcast_in_dim %cst_365, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1353 = stablehlo.multiply %1352, %arg78 : tensor<128xf32>
    %cst_366 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1354 = stablehlo.broadcast_in_dim %cst_366, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1355 = stablehlo.multiply %1354, %943 : tensor<128xf32>
    %1356 = stablehlo.add %1353, %1355 : tensor<128xf32>
    %cst_367 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1357 = stablehlo.broadcast_in_dim %cst_367, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1358 = stablehlo.multiply %1357, %arg79 : tensor<128xf32>
    %cst_368 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1359 = stablehlo.broadcast_in_dim %cst_368, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1360 = stablehlo.multiply %1359, %915 : tensor<128xf32>
    %1361 = stablehlo.add %1358, %1360 : tensor<128xf32>
    %cst_369 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1362 = stablehlo.broadcast_in_dim %cst_369, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1363 = stablehlo.multiply %1362, %arg80 : tensor<128xf32>
    %cst_370 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1364 = stablehlo.broadcast_in_dim %cst_370, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1365 = stablehlo.multiply %1364, %909 : tensor<128xf32>
    %1366 = stablehlo.add %1363, %1365 : tensor<128xf32>
    %cst_371 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1367 = stablehlo.broadcast_in_dim %cst_371, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1368 = stablehlo.multiply %1367, %arg81 : tensor<128x384xf32>
    %cst_372 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1369 = stablehlo.broadcast_in_dim %cst_372, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1370 = stablehlo.multiply %1369, %905 : tensor<128x384xf32>
    %1371 = stablehlo.add %1368, %1370 : tensor<128x384xf32>
    %cst_373 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1372 = stablehlo.broadcast_in_dim %cst_373, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1373 = stablehlo.multiply %1372, %arg82 : tensor<384xf32>
    %cst_374 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1374 = stablehlo.broadcast_in_dim %cst_374, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1375 = stablehlo.multiply %1374, %903 : tensor<384xf32>
    %1376 = stablehlo.add %1373, %1375 : tensor<384xf32>
    %cst_375 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1377 = stablehlo.broadcast_in_dim %cst_375, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1378 = stablehlo.multiply %1377, %arg83 : tensor<128x128xf32>
    %cst_376 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1379 = stablehlo.broadcast_in_dim %cst_376, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1380 = stablehlo.multiply %1379, %863 : tensor<128x128xf32>
    %1381 = stablehlo.add %1378, %1380 : tensor<128x128xf32>
    %cst_377 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1382 = stablehlo.broadcast_in_dim %cst_377, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1383 = stablehlo.multiply %1382, %arg84 : tensor<128xf32>
    %cst_378 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1384 = stablehlo.broadcast_in_dim %cst_378, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1385 = stablehlo.multiply %1384, %861 : tensor<128xf32>
    %1386 = stablehlo.add %1383, %1385 : tensor<128xf32>
    %cst_379 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1387 = stablehlo.broadcast_in_dim %cst_379, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1388 = stablehlo.multiply %1387, %arg85 : tensor<128xf32>
    %cst_380 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1389 = stablehlo.broadcast_in_dim %cst_380, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1390 = stablehlo.multiply %1389, %833 : tensor<128xf32>
    %1391 = stablehlo.add %1388, %1390 : tensor<128xf32>
    %cst_381 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1392 = stablehlo.broadcast_in_dim %cst_381, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1393 = stablehlo.multiply %1392, %arg86 : tensor<128xf32>
    %cst_382 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1394 = stablehlo.broadcast_in_dim %cst_382, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1395 = stablehlo.multiply %1394, %827 : tensor<128xf32>
    %1396 = stablehlo.add %1393, %1395 : tensor<128xf32>
    %cst_383 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1397 = stablehlo.broadcast_in_dim %cst_383, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1398 = stablehlo.multiply %1397, %arg87 : tensor<128x512xf32>
    %cst_384 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1399 = stablehlo.broadcast_in_dim %cst_384, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1400 = stablehlo.multiply %1399, %823 : tensor<128x512xf32>
    %1401 = stablehlo.add %1398, %1400 : tensor<128x512xf32>
    %cst_385 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1402 = stablehlo.broadcast_in_dim %cst_385, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1403 = stablehlo.multiply %1402, %arg88 : tensor<512xf32>
    %cst_386 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1404 = stablehlo.broadcast_in_dim %cst_386, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1405 = stablehlo.multiply %1404, %821 : tensor<512xf32>
    %1406 = stablehlo.add %1403, %1405 : tensor<512xf32>
    %cst_387 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1407 = stablehlo.broadcast_in_dim %cst_387, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1408 = stablehlo.multiply %1407, %arg89 : tensor<512x128xf32>
    %cst_388 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1409 = stablehlo.broadcast_in_dim %cst_388, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1410 = stablehlo.multiply %1409, %805 : tensor<512x128xf32>
    %1411 = stablehlo.add %1408, %1410 : tensor<512x128xf32>
    %cst_389 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1412 = stablehlo.broadcast_in_dim %cst_389, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1413 = stablehlo.multiply %1412, %arg90 : tensor<128xf32>
    %cst_390 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1414 = stablehlo.broadcast_in_dim %cst_390, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1415 = stablehlo.multiply %1414, %803 : tensor<128xf32>
    %1416 = stablehlo.add %1413, %1415 : tensor<128xf32>
    %cst_391 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1417 = stablehlo.broadcast_in_dim %cst_391, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1418 = stablehlo.multiply %1417, %arg91 : tensor<128xf32>
    %cst_392 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1419 = stablehlo.broadcast_in_dim %cst_392, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1420 = stablehlo.multiply %1419, %775 : tensor<128xf32>
    %1421 = stablehlo.add %1418, %1420 : tensor<128xf32>
    %cst_393 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1422 = stablehlo.broadcast_in_dim %cst_393, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1423 = stablehlo.multiply %1422, %arg92 : tensor<128xf32>
    %cst_394 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1424 = stablehlo.broadcast_in_dim %cst_394, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1425 = stablehlo.multiply %1424, %769 : tensor<128xf32>
    %1426 = stablehlo.add %1423, %1425 : tensor<128xf32>
    %cst_395 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1427 = stablehlo.broadcast_in_dim %cst_395, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1428 = stablehlo.multiply %1427, %arg93 : tensor<128x384xf32>
    %cst_396 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1429 = stablehlo.broadcast_in_dim %cst_396, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1430 = stablehlo.multiply %1429, %765 : tensor<128x384xf32>
    %1431 = stablehlo.add %1428, %1430 : tensor<128x384xf32>
    %cst_397 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1432 = stablehlo.broadcast_in_dim %cst_397, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1433 = stablehlo.multiply %1432, %arg94 : tensor<384xf32>
    %cst_398 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1434 = stablehlo.broadcast_in_dim %cst_398, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1435 = stablehlo.multiply %1434, %763 : tensor<384xf32>
    %1436 = stablehlo.add %1433, %1435 : tensor<384xf32>
    %cst_399 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1437 = stablehlo.broadcast_in_dim %cst_399, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1438 = stablehlo.multiply %1437, %arg95 : tensor<128x128xf32>
    %cst_400 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1439 = stablehlo.broadcast_in_dim %cst_400, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1440 = stablehlo.multiply %1439, %723 : tensor<128x128xf32>
    %1441 = stablehlo.add %1438, %1440 : tensor<128x128xf32>
    %cst_401 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1442 = stablehlo.broadcast_in_dim %cst_401, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1443 = stablehlo.multiply %1442, %arg96 : tensor<128xf32>
    %cst_402 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1444 = stablehlo.broadcast_in_dim %cst_402, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1445 = stablehlo.multiply %1444, %721 : tensor<128xf32>
    %1446 = stablehlo.add %1443, %1445 : tensor<128xf32>
    %cst_403 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1447 = stablehlo.broadcast_in_dim %cst_403, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1448 = stablehlo.multiply %1447, %arg97 : tensor<128xf32>
    %cst_404 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1449 = stablehlo.broadcast_in_dim %cst_404, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1450 = stablehlo.multiply %1449, %693 : tensor<128xf32>
    %1451 = stablehlo.add %1448, %1450 : tensor<128xf32>
    %cst_405 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1452 = stablehlo.broadcast_in_dim %cst_405, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1453 = stablehlo.multiply %1452, %arg98 : tensor<128xf32>
    %cst_406 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1454 = stablehlo.broadcast_in_dim %cst_406, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1455 = stablehlo.multiply %1454, %687 : tensor<128xf32>
    %1456 = stablehlo.add %1453, %1455 : tensor<128xf32>
    %cst_407 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1457 = stablehlo.broadcast_in_dim %cst_407, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1458 = stablehlo.multiply %1457, %arg99 : tensor<128x512xf32>
    %cst_408 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1459 = stablehlo.broadcast_in_dim %cst_408, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1460 = stablehlo.multiply %1459, %683 : tensor<128x512xf32>
    %1461 = stablehlo.add %1458, %1460 : tensor<128x512xf32>
    %cst_409 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1462 = stablehlo.broadcast_in_dim %cst_409, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1463 = stablehlo.multiply %1462, %arg100 : tensor<512xf32>
    %cst_410 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1464 = stablehlo.broadcast_in_dim %cst_410, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1465 = stablehlo.multiply %1464, %681 : tensor<512xf32>
    %1466 = stablehlo.add %1463, %1465 : tensor<512xf32>
    %cst_411 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1467 = stablehlo.broadcast_in_dim %cst_411, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1468 = stablehlo.multiply %1467, %arg101 : tensor<512x128xf32>
    %cst_412 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1469 = stablehlo.broadcast_in_dim %cst_412, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1470 = stablehlo.multiply %1469, %665 : tensor<512x128xf32>
    %1471 = stablehlo.add %1468, %1470 : tensor<512x128xf32>
    %cst_413 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1472 = stablehlo.broadcast_in_dim %cst_413, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1473 = stablehlo.multiply %1472, %arg102 : tensor<128xf32>
    %cst_414 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1474 = stablehlo.broadcast_in_dim %cst_414, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1475 = stablehlo.multiply %1474, %663 : tensor<128xf32>
    %1476 = stablehlo.add %1473, %1475 : tensor<128xf32>
    %cst_415 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1477 = stablehlo.broadcast_in_dim %cst_415, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1478 = stablehlo.multiply %1477, %arg103 : tensor<128xf32>
    %cst_416 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1479 = stablehlo.broadcast_in_dim %cst_416, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1480 = stablehlo.multiply %1479, %636 : tensor<128xf32>
    %1481 = stablehlo.add %1478, %1480 : tensor<128xf32>
    %cst_417 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1482 = stablehlo.broadcast_in_dim %cst_417, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1483 = stablehlo.multiply %1482, %arg104 : tensor<128xf32>
    %cst_418 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1484 = stablehlo.broadcast_in_dim %cst_418, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1485 = stablehlo.multiply %1484, %630 : tensor<128xf32>
    %1486 = stablehlo.add %1483, %1485 : tensor<128xf32>
    %cst_419 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1487 = stablehlo.broadcast_in_dim %cst_419, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
    %1488 = stablehlo.multiply %1487, %arg105 : tensor<128x256xf32>
    %cst_420 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1489 = stablehlo.broadcast_in_dim %cst_420, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
    %1490 = stablehlo.multiply %1489, %626 : tensor<128x256xf32>
    %1491 = stablehlo.add %1488, %1490 : tensor<128x256xf32>
    %cst_421 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1492 = stablehlo.broadcast_in_dim %cst_421, dims = [] : (tensor<f32>) -> tensor<256x128xf32>
    %1493 = stablehlo.multiply %1492, %arg106 : tensor<256x128xf32>
    %cst_422 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1494 = stablehlo.broadcast_in_dim %cst_422, dims = [] : (tensor<f32>) -> tensor<256x128xf32>
    %1495 = stablehlo.multiply %1494, %1225 : tensor<256x128xf32>
    %1496 = stablehlo.multiply %1495, %1225 : tensor<256x128xf32>
    %1497 = stablehlo.add %1493, %1496 : tensor<256x128xf32>
    %cst_423 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1498 = stablehlo.broadcast_in_dim %cst_423, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1499 = stablehlo.multiply %1498, %arg107 : tensor<128x128xf32>
    %cst_424 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1500 = stablehlo.broadcast_in_dim %cst_424, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1501 = stablehlo.multiply %1500, %1223 : tensor<128x128xf32>
    %1502 = stablehlo.multiply %1501, %1223 : tensor<128x128xf32>
    %1503 = stablehlo.add %1499, %1502 : tensor<128x128xf32>
    %cst_425 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1504 = stablehlo.broadcast_in_dim %cst_425, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1505 = stablehlo.multiply %1504, %arg108 : tensor<128xf32>
    %cst_426 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1506 = stablehlo.broadcast_in_dim %cst_426, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1507 = stablehlo.multiply %1506, %1195 : tensor<128xf32>
    %1508 = stablehlo.multiply %1507, %1195 : tensor<128xf32>
    %1509 = stablehlo.add %1505, %1508 : tensor<128xf32>
    %cst_427 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1510 = stablehlo.broadcast_in_dim %cst_427, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1511 = stablehlo.multiply %1510, %arg109 : tensor<128xf32>
    %cst_428 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1512 = stablehlo.broadcast_in_dim %cst_428, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1513 = stablehlo.multiply %1512, %1189 : tensor<128xf32>
    %1514 = stablehlo.multiply %1513, %1189 : tensor<128xf32>
    %1515 = stablehlo.add %1511, %1514 : tensor<128xf32>
    %cst_429 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1516 = stablehlo.broadcast_in_dim %cst_429, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1517 = stablehlo.multiply %1516, %arg110 : tensor<128x384xf32>
    %cst_430 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1518 = stablehlo.broadcast_in_dim %cst_430, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1519 = stablehlo.multiply %1518, %1185 : tensor<128x384xf32>
    %1520 = stablehlo.multiply %1519, %1185 : tensor<128x384xf32>
    %1521 = stablehlo.add %1517, %1520 : tensor<128x384xf32>
    %cst_431 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1522 = stablehlo.broadcast_in_dim %cst_431, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1523 = stablehlo.multiply %1522, %arg111 : tensor<384xf32>
    %cst_432 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1524 = stablehlo.broadcast_in_dim %cst_432, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1525 = stablehlo.multiply %1524, %1183 : tensor<384xf32>
    %1526 = stablehlo.multiply %1525, %1183 : tensor<384xf32>
    %1527 = stablehlo.add %1523, %1526 : tensor<384xf32>
    %cst_433 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1528 = stablehlo.broadcast_in_dim %cst_433, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1529 = stablehlo.multiply %1528, %arg112 : tensor<128x128xf32>
    %cst_434 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1530 = stablehlo.broadcast_in_dim %cst_434, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1531 = stablehlo.multiply %1530, %1143 : tensor<128x128xf32>
    %1532 = stablehlo.multiply %1531, %1143 : tensor<128x128xf32>
    %1533 = stablehlo.add %1529, %1532 : tensor<128x128xf32>
    %cst_435 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1534 = stablehlo.broadcast_in_dim %cst_435, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1535 = stablehlo.multiply %1534, %arg113 : tensor<128xf32>
    %cst_436 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1536 = stablehlo.broadcast_in_dim %cst_436, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1537 = stablehlo.multiply %1536, %1141 : tensor<128xf32>
    %1538 = stablehlo.multiply %1537, %1141 : tensor<128xf32>
    %1539 = stablehlo.add %1535, %1538 : tensor<128xf32>
    %cst_437 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1540 = stablehlo.broadcast_in_dim %cst_437, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1541 = stablehlo.multiply %1540, %arg114 : tensor<128xf32>
    %cst_438 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1542 = stablehlo.broadcast_in_dim %cst_438, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1543 = stablehlo.multiply %1542, %1113 : tensor<128xf32>
    %1544 = stablehlo.multiply %1543, %1113 : tensor<128xf32>
    %1545 = stablehlo.add %1541, %1544 : tensor<128xf32>
    %cst_439 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1546 = stablehlo.broadcast_in_dim %cst_439, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1547 = stablehlo.multiply %1546, %arg115 : tensor<128xf32>
    %cst_440 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1548 = stablehlo.broadcast_in_dim %cst_440, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1549 = stablehlo.multiply %1548, %1107 : tensor<128xf32>
    %1550 = stablehlo.multiply %1549, %1107 : tensor<128xf32>
    %1551 = stablehlo.add %1547, %1550 : tensor<128xf32>
    %cst_441 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1552 = stablehlo.broadcast_in_dim %cst_441, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1553 = stablehlo.multiply %1552, %arg116 : tensor<128x512xf32>
    %cst_442 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1554 = stablehlo.broadcast_in_dim %cst_442, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1555 = stablehlo.multiply %1554, %1103 : tensor<128x512xf32>
    %1556 = stablehlo.multiply %1555, %1103 : tensor<128x512xf32>
    %1557 = stablehlo.add %1553, %1556 : tensor<128x512xf32>
    %cst_443 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1558 = stablehlo.broadcast_in_dim %cst_443, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1559 = stablehlo.multiply %1558, %arg117 : tensor<512xf32>
    %cst_444 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1560 = stablehlo.broadcast_in_dim %cst_444, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1561 = stablehlo.multiply %1560, %1101 : tensor<512xf32>
    %1562 = stablehlo.multiply %1561, %1101 : tensor<512xf32>
    %1563 = stablehlo.add %1559, %1562 : tensor<512xf32>
    %cst_445 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1564 = stablehlo.broadcast_in_dim %cst_445, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1565 = stablehlo.multiply %1564, %arg118 : tensor<512x128xf32>
    %cst_446 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1566 = stablehlo.broadcast_in_dim %cst_446, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1567 = stablehlo.multiply %1566, %1085 : tensor<512x128xf32>
    %1568 = stablehlo.multiply %1567, %1085 : tensor<512x128xf32>
    %1569 = stablehlo.add %1565, %1568 : tensor<512x128xf32>
    %cst_447 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1570 = stablehlo.broadcast_in_dim %cst_447, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1571 = stablehlo.multiply %1570, %arg119 : tensor<128xf32>
    %cst_448 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1572 = stablehlo.broadcast_in_dim %cst_448, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1573 = stablehlo.multiply %1572, %1083 : tensor<128xf32>
    %1574 = stablehlo.multiply %1573, %1083 : tensor<128xf32>
    %1575 = stablehlo.add %1571, %1574 : tensor<128xf32>
    %cst_449 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1576 = stablehlo.broadcast_in_dim %cst_449, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1577 = stablehlo.multiply %1576, %arg120 : tensor<128xf32>
    %cst_450 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1578 = stablehlo.broadcast_in_dim %cst_450, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1579 = stablehlo.multiply %1578, %1055 : tensor<128xf32>
    %1580 = stablehlo.multiply %1579, %1055 : tensor<128xf32>
    %1581 = stablehlo.add %1577, %1580 : tensor<128xf32>
    %cst_451 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1582 = stablehlo.broadcast_in_dim %cst_451, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1583 = stablehlo.multiply %1582, %arg121 : tensor<128xf32>
    %cst_452 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1584 = stablehlo.broadcast_in_dim %cst_452, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1585 = stablehlo.multiply %1584, %1049 : tensor<128xf32>
    %1586 = stablehlo.multiply %1585, %1049 : tensor<128xf32>
    %1587 = stablehlo.add %1583, %1586 : tensor<128xf32>
    %cst_453 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1588 = stablehlo.broadcast_in_dim %cst_453, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1589 = stablehlo.multiply %1588, %arg122 : tensor<128x384xf32>
    %cst_454 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1590 = stablehlo.broadcast_in_dim %cst_454, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1591 = stablehlo.multiply %1590, %1045 : tensor<128x384xf32>
    %1592 = stablehlo.multiply %1591, %1045 : tensor<128x384xf32>
    %1593 = stablehlo.add %1589, %1592 : tensor<128x384xf32>
    %cst_455 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1594 = stablehlo.broadcast_in_dim %cst_455, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1595 = stablehlo.multiply %1594, %arg123 : tensor<384xf32>
    %cst_456 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1596 = stablehlo.broadcast_in_dim %cst_456, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1597 = stablehlo.multiply %1596, %1043 : tensor<384xf32>
    %1598 = stablehlo.multiply %1597, %1043 : tensor<384xf32>
    %1599 = stablehlo.add %1595, %1598 : tensor<384xf32>
    %cst_457 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1600 = stablehlo.broadcast_in_dim %cst_457, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1601 = stablehlo.multiply %1600, %arg124 : tensor<128x128xf32>
    %cst_458 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1602 = stablehlo.broadcast_in_dim %cst_458, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1603 = stablehlo.multiply %1602, %1003 : tensor<128x128xf32>
    %1604 = stablehlo.multiply %1603, %1003 : tensor<128x128xf32>
    %1605 = stablehlo.add %1601, %1604 : tensor<128x128xf32>
    %cst_459 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1606 = stablehlo.broadcast_in_dim %cst_459, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1607 = stablehlo.multiply %1606, %arg125 : tensor<128xf32>
    %cst_460 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1608 = stablehlo.broadcast_in_dim %cst_460, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1609 = stablehlo.multiply %1608, %1001 : tensor<128xf32>
    %1610 = stablehlo.multiply %1609, %1001 : tensor<128xf32>
    %1611 = stablehlo.add %1607, %1610 : tensor<128xf32>
    %cst_461 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1612 = stablehlo.broadcast_in_dim %cst_461, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1613 = stablehlo.multiply %1612, %arg126 : tensor<128xf32>
    %cst_462 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1614 = stablehlo.broadcast_in_dim %cst_462, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1615 = stablehlo.multiply %1614, %973 : tensor<128xf32>
    %1616 = stablehlo.multiply %1615, %973 : tensor<128xf32>
    %1617 = stablehlo.add %1613, %1616 : tensor<128xf32>
    %cst_463 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1618 = stablehlo.broadcast_in_dim %cst_463, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1619 = stablehlo.multiply %1618, %arg127 : tensor<128xf32>
    %cst_464 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1620 = stablehlo.broadcast_in_dim %cst_464, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1621 = stablehlo.multiply %1620, %967 : tensor<128xf32>
    %1622 = stablehlo.multiply %1621, %967 : tensor<128xf32>
    %1623 = stablehlo.add %1619, %1622 : tensor<128xf32>
    %cst_465 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1624 = stablehlo.broadcast_in_dim %cst_465, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1625 = stablehlo.multiply %1624, %arg128 : tensor<128x512xf32>
    %cst_466 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1626 = stablehlo.broadcast_in_dim %cst_466, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1627 = stablehlo.multiply %1626, %963 : tensor<128x512xf32>
    %1628 = stablehlo.multiply %1627, %963 : tensor<128x512xf32>
    %1629 = stablehlo.add %1625, %1628 : tensor<128x512xf32>
    %cst_467 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1630 = stablehlo.broadcast_in_dim %cst_467, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1631 = stablehlo.multiply %1630, %arg129 : tensor<512xf32>
    %cst_468 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1632 = stablehlo.broadcast_in_dim %cst_468, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1633 = stablehlo.multiply %1632, %961 : tensor<512xf32>
    %1634 = stablehlo.multiply %1633, %961 : tensor<512xf32>
    %1635 = stablehlo.add %1631, %1634 : tensor<512xf32>
    %cst_469 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1636 = stablehlo.broadcast_in_dim %cst_469, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1637 = stablehlo.multiply %1636, %arg130 : tensor<512x128xf32>
    %cst_470 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1638 = stablehlo.broadcast_in_dim %cst_470, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1639 = stablehlo.multiply %1638, %945 : tensor<512x128xf32>
    %1640 = stablehlo.multiply %1639, %945 : tensor<512x128xf32>
    %1641 = stablehlo.add %1637, %1640 : tensor<512x128xf32>
    %cst_471 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1642 = stablehlo.broadcast_in_dim %cst_471, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1643 = stablehlo.multiply %1642, %arg131 : tensor<128xf32>
    %cst_472 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1644 = stablehlo.broadcast_in_dim %cst_472, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1645 = stablehlo.multiply %1644, %943 : tensor<128xf32>
    %1646 = stablehlo.multiply %1645, %943 : tensor<128xf32>
    %1647 = stablehlo.add %1643, %1646 : tensor<128xf32>
    %cst_473 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1648 = stablehlo.broadcast_in_dim %cst_473, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1649 = stablehlo.multiply %1648, %arg132 : tensor<128xf32>
    %cst_474 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1650 = stablehlo.broadcast_in_dim %cst_474, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1651 = stablehlo.multiply %1650, %915 : tensor<128xf32>
    %1652 = stablehlo.multiply %1651, %915 : tensor<128xf32>
    %1653 = stablehlo.add %1649, %1652 : tensor<128xf32>
    %cst_475 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1654 = stablehlo.broadcast_in_dim %cst_475, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1655 = stablehlo.multiply %1654, %arg133 : tensor<128xf32>
    %cst_476 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1656 = stablehlo.broadcast_in_dim %cst_476, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1657 = stablehlo.multiply %1656, %909 : tensor<128xf32>
    %1658 = stablehlo.multiply %1657, %909 : tensor<128xf32>
    %1659 = stablehlo.add %1655, %1658 : tensor<128xf32>
    %cst_477 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1660 = stablehlo.broadcast_in_dim %cst_477, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1661 = stablehlo.multiply %1660, %arg134 : tensor<128x384xf32>
    %cst_478 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1662 = stablehlo.broadcast_in_dim %cst_478, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1663 = stablehlo.multiply %1662, %905 : tensor<128x384xf32>
    %1664 = stablehlo.multiply %1663, %905 : tensor<128x384xf32>
    %1665 = stablehlo.add %1661, %1664 : tensor<128x384xf32>
    %cst_479 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1666 = stablehlo.broadcast_in_dim %cst_479, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1667 = stablehlo.multiply %1666, %arg135 : tensor<384xf32>
    %cst_480 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1668 = stablehlo.broadcast_in_dim %cst_480, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1669 = stablehlo.multiply %1668, %903 : tensor<384xf32>
    %1670 = stablehlo.multiply %1669, %903 : tensor<384xf32>
    %1671 = stablehlo.add %1667, %1670 : tensor<384xf32>
    %cst_481 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1672 = stablehlo.broadcast_in_dim %cst_481, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1673 = stablehlo.multiply %1672, %arg136 : tensor<128x128xf32>
    %cst_482 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1674 = stablehlo.broadcast_in_dim %cst_482, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1675 = stablehlo.multiply %1674, %863 : tensor<128x128xf32>
    %1676 = stablehlo.multiply %1675, %863 : tensor<128x128xf32>
    %1677 = stablehlo.add %1673, %1676 : tensor<128x128xf32>
    %cst_483 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1678 = stablehlo.broadcast_in_dim %cst_483, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1679 = stablehlo.multiply %1678, %arg137 : tensor<128xf32>
    %cst_484 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1680 = stablehlo.broadcast_in_dim %cst_484, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1681 = stablehlo.multiply %1680, %861 : tensor<128xf32>
    %1682 = stablehlo.multiply %1681, %861 : tensor<128xf32>
    %1683 = stablehlo.add %1679, %1682 : tensor<128xf32>
    %cst_485 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1684 = stablehlo.broadcast_in_dim %cst_485, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1685 = stablehlo.multiply %1684, %arg138 : tensor<128xf32>
    %cst_486 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1686 = stablehlo.broadcast_in_dim %cst_486, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1687 = stablehlo.multiply %1686, %833 : tensor<128xf32>
    %1688 = stablehlo.multiply %1687, %833 : tensor<128xf32>
    %1689 = stablehlo.add %1685, %1688 : tensor<128xf32>
    %cst_487 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1690 = stablehlo.broadcast_in_dim %cst_487, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1691 = stablehlo.multiply %1690, %arg139 : tensor<128xf32>
    %cst_488 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1692 = stablehlo.broadcast_in_dim %cst_488, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1693 = stablehlo.multiply %1692, %827 : tensor<128xf32>
    %1694 = stablehlo.multiply %1693, %827 : tensor<128xf32>
    %1695 = stablehlo.add %1691, %1694 : tensor<128xf32>
    %cst_489 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1696 = stablehlo.broadcast_in_dim %cst_489, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1697 = stablehlo.multiply %1696, %arg140 : tensor<128x512xf32>
    %cst_490 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1698 = stablehlo.broadcast_in_dim %cst_490, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1699 = stablehlo.multiply %1698, %823 : tensor<128x512xf32>
    %1700 = stablehlo.multiply %1699, %823 : tensor<128x512xf32>
    %1701 = stablehlo.add %1697, %1700 : tensor<128x512xf32>
    %cst_491 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1702 = stablehlo.broadcast_in_dim %cst_491, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1703 = stablehlo.multiply %1702, %arg141 : tensor<512xf32>
    %cst_492 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1704 = stablehlo.broadcast_in_dim %cst_492, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1705 = stablehlo.multiply %1704, %821 : tensor<512xf32>
    %1706 = stablehlo.multiply %1705, %821 : tensor<512xf32>
    %1707 = stablehlo.add %1703, %1706 : tensor<512xf32>
    %cst_493 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1708 = stablehlo.broadcast_in_dim %cst_493, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1709 = stablehlo.multiply %1708, %arg142 : tensor<512x128xf32>
    %cst_494 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1710 = stablehlo.broadcast_in_dim %cst_494, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1711 = stablehlo.multiply %1710, %805 : tensor<512x128xf32>
    %1712 = stablehlo.multiply %1711, %805 : tensor<512x128xf32>
    %1713 = stablehlo.add %1709, %1712 : tensor<512x128xf32>
    %cst_495 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1714 = stablehlo.broadcast_in_dim %cst_495, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1715 = stablehlo.multiply %1714, %arg143 : tensor<128xf32>
    %cst_496 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1716 = stablehlo.broadcast_in_dim %cst_496, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1717 = stablehlo.multiply %1716, %803 : tensor<128xf32>
    %1718 = stablehlo.multiply %1717, %803 : tensor<128xf32>
    %1719 = stablehlo.add %1715, %1718 : tensor<128xf32>
    %cst_497 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1720 = stablehlo.broadcast_in_dim %cst_497, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1721 = stablehlo.multiply %1720, %arg144 : tensor<128xf32>
    %cst_498 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1722 = stablehlo.broadcast_in_dim %cst_498, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1723 = stablehlo.multiply %1722, %775 : tensor<128xf32>
    %1724 = stablehlo.multiply %1723, %775 : tensor<128xf32>
    %1725 = stablehlo.add %1721, %1724 : tensor<128xf32>
    %cst_499 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1726 = stablehlo.broadcast_in_dim %cst_499, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1727 = stablehlo.multiply %1726, %arg145 : tensor<128xf32>
    %cst_500 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1728 = stablehlo.broadcast_in_dim %cst_500, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1729 = stablehlo.multiply %1728, %769 : tensor<128xf32>
    %1730 = stablehlo.multiply %1729, %769 : tensor<128xf32>
    %1731 = stablehlo.add %1727, %1730 : tensor<128xf32>
    %cst_501 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1732 = stablehlo.broadcast_in_dim %cst_501, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1733 = stablehlo.multiply %1732, %arg146 : tensor<128x384xf32>
    %cst_502 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1734 = stablehlo.broadcast_in_dim %cst_502, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1735 = stablehlo.multiply %1734, %765 : tensor<128x384xf32>
    %1736 = stablehlo.multiply %1735, %765 : tensor<128x384xf32>
    %1737 = stablehlo.add %1733, %1736 : tensor<128x384xf32>
    %cst_503 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1738 = stablehlo.broadcast_in_dim %cst_503, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1739 = stablehlo.multiply %1738, %arg147 : tensor<384xf32>
    %cst_504 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1740 = stablehlo.broadcast_in_dim %cst_504, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1741 = stablehlo.multiply %1740, %763 : tensor<384xf32>
    %1742 = stablehlo.multiply %1741, %763 : tensor<384xf32>
    %1743 = stablehlo.add %1739, %1742 : tensor<384xf32>
    %cst_505 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1744 = stablehlo.broadcast_in_dim %cst_505, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1745 = stablehlo.multiply %1744, %arg148 : tensor<128x128xf32>
    %cst_506 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1746 = stablehlo.broadcast_in_dim %cst_506, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1747 = stablehlo.multiply %1746, %723 : tensor<128x128xf32>
    %1748 = stablehlo.multiply %1747, %723 : tensor<128x128xf32>
    %1749 = stablehlo.add %1745, %1748 : tensor<128x128xf32>
    %cst_507 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1750 = stablehlo.broadcast_in_dim %cst_507, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1751 = stablehlo.multiply %1750, %arg149 : tensor<128xf32>
    %cst_508 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1752 = stablehlo.broadcast_in_dim %cst_508, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1753 = stablehlo.multiply %1752, %721 : tensor<128xf32>
    %1754 = stablehlo.multiply %1753, %721 : tensor<128xf32>
    %1755 = stablehlo.add %1751, %1754 : tensor<128xf32>
    %cst_509 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1756 = stablehlo.broadcast_in_dim %cst_509, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1757 = stablehlo.multiply %1756, %arg150 : tensor<128xf32>
    %cst_510 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1758 = stablehlo.broadcast_in_dim %cst_510, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1759 = stablehlo.multiply %1758, %693 : tensor<128xf32>
    %1760 = stablehlo.multiply %1759, %693 : tensor<128xf32>
    %1761 = stablehlo.add %1757, %1760 : tensor<128xf32>
    %cst_511 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1762 = stablehlo.broadcast_in_dim %cst_511, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1763 = stablehlo.multiply %1762, %arg151 : tensor<128xf32>
    %cst_512 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1764 = stablehlo.broadcast_in_dim %cst_512, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1765 = stablehlo.multiply %1764, %687 : tensor<128xf32>
    %1766 = stablehlo.multiply %1765, %687 : tensor<128xf32>
    %1767 = stablehlo.add %1763, %1766 : tensor<128xf32>
    %cst_513 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1768 = stablehlo.broadcast_in_dim %cst_513, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1769 = stablehlo.multiply %1768, %arg152 : tensor<128x512xf32>
    %cst_514 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1770 = stablehlo.broadcast_in_dim %cst_514, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1771 = stablehlo.multiply %1770, %683 : tensor<128x512xf32>
    %1772 = stablehlo.multiply %1771, %683 : tensor<128x512xf32>
    %1773 = stablehlo.add %1769, %1772 : tensor<128x512xf32>
    %cst_515 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1774 = stablehlo.broadcast_in_dim %cst_515, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1775 = stablehlo.multiply %1774, %arg153 : tensor<512xf32>
    %cst_516 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1776 = stablehlo.broadcast_in_dim %cst_516, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1777 = stablehlo.multiply %1776, %681 : tensor<512xf32>
    %1778 = stablehlo.multiply %1777, %681 : tensor<512xf32>
    %1779 = stablehlo.add %1775, %1778 : tensor<512xf32>
    %cst_517 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1780 = stablehlo.broadcast_in_dim %cst_517, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1781 = stablehlo.multiply %1780, %arg154 : tensor<512x128xf32>
    %cst_518 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1782 = stablehlo.broadcast_in_dim %cst_518, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1783 = stablehlo.multiply %1782, %665 : tensor<512x128xf32>
    %1784 = stablehlo.multiply %1783, %665 : tensor<512x128xf32>
    %1785 = stablehlo.add %1781, %1784 : tensor<512x128xf32>
    %cst_519 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1786 = stablehlo.broadcast_in_dim %cst_519, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1787 = stablehlo.multiply %1786, %arg155 : tensor<128xf32>
    %cst_520 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1788 = stablehlo.broadcast_in_dim %cst_520, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1789 = stablehlo.multiply %1788, %663 : tensor<128xf32>
    %1790 = stablehlo.multiply %1789, %663 : tensor<128xf32>
    %1791 = stablehlo.add %1787, %1790 : tensor<128xf32>
    %cst_521 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1792 = stablehlo.broadcast_in_dim %cst_521, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1793 = stablehlo.multiply %1792, %arg156 : tensor<128xf32>
    %cst_522 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1794 = stablehlo.broadcast_in_dim %cst_522, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1795 = stablehlo.multiply %1794, %636 : tensor<128xf32>
    %1796 = stablehlo.multiply %1795, %636 : tensor<128xf32>
    %1797 = stablehlo.add %1793, %1796 : tensor<128xf32>
    %cst_523 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1798 = stablehlo.broadcast_in_dim %cst_523, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1799 = stablehlo.multiply %1798, %arg157 : tensor<128xf32>
    %cst_524 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1800 = stablehlo.broadcast_in_dim %cst_524, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1801 = stablehlo.multiply %1800, %630 : tensor<128xf32>
    %1802 = stablehlo.multiply %1801, %630 : tensor<128xf32>
    %1803 = stablehlo.add %1799, %1802 : tensor<128xf32>
    %cst_525 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1804 = stablehlo.broadcast_in_dim %cst_525, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
    %1805 = stablehlo.multiply %1804, %arg158 : tensor<128x256xf32>
    %cst_526 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1806 = stablehlo.broadcast_in_dim %cst_526, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
    %1807 = stablehlo.multiply %1806, %626 : tensor<128x256xf32>
    %1808 = stablehlo.multiply %1807, %626 : tensor<128x256xf32>
    %1809 = stablehlo.add %1805, %1808 : tensor<128x256xf32>
    %cst_527 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1810 = stablehlo.power %cst_527, %1226 : tensor<f32>
    %cst_528 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1811 = stablehlo.subtract %cst_528, %1810 : tensor<f32>
    %cst_529 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1812 = stablehlo.power %cst_529, %1226 : tensor<f32>
    %cst_530 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1813 = stablehlo.subtract %cst_530, %1812 : tensor<f32>
    %1814 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<256x128xf32>
    %1815 = stablehlo.divide %1231, %1814 : tensor<256x128xf32>
    %1816 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<256x128xf32>
    %1817 = stablehlo.divide %1497, %1816 : tensor<256x128xf32>
    %1818 = stablehlo.sqrt %1817 : tensor<256x128xf32>
    %cst_531 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1819 = stablehlo.broadcast_in_dim %cst_531, dims = [] : (tensor<f32>) -> tensor<256x128xf32>
    %1820 = stablehlo.add %1818, %1819 : tensor<256x128xf32>
    %1821 = stablehlo.divide %1815, %1820 : tensor<256x128xf32>
    %cst_532 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1822 = stablehlo.broadcast_in_dim %cst_532, dims = [] : (tensor<f32>) -> tensor<256x128xf32>
    %1823 = stablehlo.multiply %1822, %arg0 : tensor<256x128xf32>
    %1824 = stablehlo.add %1821, %1823 : tensor<256x128xf32>
    %cst_533 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1825 = stablehlo.broadcast_in_dim %cst_533, dims = [] : (tensor<f32>) -> tensor<256x128xf32>
    %1826 = stablehlo.multiply %1825, %1824 : tensor<256x128xf32>
    %1827 = stablehlo.subtract %arg0, %1826 : tensor<256x128xf32>
    %1828 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1829 = stablehlo.divide %1236, %1828 : tensor<128x128xf32>
    %1830 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1831 = stablehlo.divide %1503, %1830 : tensor<128x128xf32>
    %1832 = stablehlo.sqrt %1831 : tensor<128x128xf32>
    %cst_534 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1833 = stablehlo.broadcast_in_dim %cst_534, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1834 = stablehlo.add %1832, %1833 : tensor<128x128xf32>
    %1835 = stablehlo.divide %1829, %1834 : tensor<128x128xf32>
    %cst_535 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1836 = stablehlo.broadcast_in_dim %cst_535, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1837 = stablehlo.multiply %1836, %arg1 : tensor<128x128xf32>
    %1838 = stablehlo.add %1835, %1837 : tensor<128x128xf32>
    %cst_536 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1839 = stablehlo.broadcast_in_dim %cst_536, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1840 = stablehlo.multiply %1839, %1838 : tensor<128x128xf32>
    %1841 = stablehlo.subtract %arg1, %1840 : tensor<128x128xf32>
    %1842 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1843 = stablehlo.divide %1241, %1842 : tensor<128xf32>
    %1844 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1845 = stablehlo.divide %1509, %1844 : tensor<128xf32>
    %1846 = stablehlo.sqrt %1845 : tensor<128xf32>
    %cst_537 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1847 = stablehlo.broadcast_in_dim %cst_537, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1848 = stablehlo.add %1846, %1847 : tensor<128xf32>
    %1849 = stablehlo.divide %1843, %1848 : tensor<128xf32>
    %cst_538 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1850 = stablehlo.broadcast_in_dim %cst_538, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1851 = stablehlo.multiply %1850, %arg2 : tensor<128xf32>
    %1852 = stablehlo.add %1849, %1851 : tensor<128xf32>
    %cst_539 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1853 = stablehlo.broadcast_in_dim %cst_539, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1854 = stablehlo.multiply %1853, %1852 : tensor<128xf32>
    %1855 = stablehlo.subtract %arg2, %1854 : tensor<128xf32>
    %1856 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1857 = stablehlo.divide %1246, %1856 : tensor<128xf32>
    %1858 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1859 = stablehlo.divide %1515, %1858 : tensor<128xf32>
    %1860 = stablehlo.sqrt %1859 : tensor<128xf32>
    %cst_540 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1861 = stablehlo.broadcast_in_dim %cst_540, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1862 = stablehlo.add %1860, %1861 : tensor<128xf32>
    %1863 = stablehlo.divide %1857, %1862 : tensor<128xf32>
    %cst_541 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1864 = stablehlo.broadcast_in_dim %cst_541, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1865 = stablehlo.multiply %1864, %arg3 : tensor<128xf32>
    %1866 = stablehlo.add %1863, %1865 : tensor<128xf32>
    %cst_542 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1867 = stablehlo.broadcast_in_dim %cst_542, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1868 = stablehlo.multiply %1867, %1866 : tensor<128xf32>
    %1869 = stablehlo.subtract %arg3, %1868 : tensor<128xf32>
    %1870 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1871 = stablehlo.divide %1251, %1870 : tensor<128x384xf32>
    %1872 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1873 = stablehlo.divide %1521, %1872 : tensor<128x384xf32>
    %1874 = stablehlo.sqrt %1873 : tensor<128x384xf32>
    %cst_543 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1875 = stablehlo.broadcast_in_dim %cst_543, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1876 = stablehlo.add %1874, %1875 : tensor<128x384xf32>
    %1877 = stablehlo.divide %1871, %1876 : tensor<128x384xf32>
    %cst_544 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1878 = stablehlo.broadcast_in_dim %cst_544, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1879 = stablehlo.multiply %1878, %arg4 : tensor<128x384xf32>
    %1880 = stablehlo.add %1877, %1879 : tensor<128x384xf32>
    %cst_545 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1881 = stablehlo.broadcast_in_dim %cst_545, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %1882 = stablehlo.multiply %1881, %1880 : tensor<128x384xf32>
    %1883 = stablehlo.subtract %arg4, %1882 : tensor<128x384xf32>
    %1884 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1885 = stablehlo.divide %1256, %1884 : tensor<384xf32>
    %1886 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1887 = stablehlo.divide %1527, %1886 : tensor<384xf32>
    %1888 = stablehlo.sqrt %1887 : tensor<384xf32>
    %cst_546 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1889 = stablehlo.broadcast_in_dim %cst_546, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1890 = stablehlo.add %1888, %1889 : tensor<384xf32>
    %1891 = stablehlo.divide %1885, %1890 : tensor<384xf32>
    %cst_547 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1892 = stablehlo.broadcast_in_dim %cst_547, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1893 = stablehlo.multiply %1892, %arg5 : tensor<384xf32>
    %1894 = stablehlo.add %1891, %1893 : tensor<384xf32>
    %cst_548 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1895 = stablehlo.broadcast_in_dim %cst_548, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %1896 = stablehlo.multiply %1895, %1894 : tensor<384xf32>
    %1897 = stablehlo.subtract %arg5, %1896 : tensor<384xf32>
    %1898 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1899 = stablehlo.divide %1261, %1898 : tensor<128x128xf32>
    %1900 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1901 = stablehlo.divide %1533, %1900 : tensor<128x128xf32>
    %1902 = stablehlo.sqrt %1901 : tensor<128x128xf32>
    %cst_549 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1903 = stablehlo.broadcast_in_dim %cst_549, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1904 = stablehlo.add %1902, %1903 : tensor<128x128xf32>
    %1905 = stablehlo.divide %1899, %1904 : tensor<128x128xf32>
    %cst_550 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1906 = stablehlo.broadcast_in_dim %cst_550, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1907 = stablehlo.multiply %1906, %arg6 : tensor<128x128xf32>
    %1908 = stablehlo.add %1905, %1907 : tensor<128x128xf32>
    %cst_551 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1909 = stablehlo.broadcast_in_dim %cst_551, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %1910 = stablehlo.multiply %1909, %1908 : tensor<128x128xf32>
    %1911 = stablehlo.subtract %arg6, %1910 : tensor<128x128xf32>
    %1912 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1913 = stablehlo.divide %1266, %1912 : tensor<128xf32>
    %1914 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1915 = stablehlo.divide %1539, %1914 : tensor<128xf32>
    %1916 = stablehlo.sqrt %1915 : tensor<128xf32>
    %cst_552 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1917 = stablehlo.broadcast_in_dim %cst_552, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1918 = stablehlo.add %1916, %1917 : tensor<128xf32>
    %1919 = stablehlo.divide %1913, %1918 : tensor<128xf32>
    %cst_553 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1920 = stablehlo.broadcast_in_dim %cst_553, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1921 = stablehlo.multiply %1920, %arg7 : tensor<128xf32>
    %1922 = stablehlo.add %1919, %1921 : tensor<128xf32>
    %cst_554 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1923 = stablehlo.broadcast_in_dim %cst_554, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1924 = stablehlo.multiply %1923, %1922 : tensor<128xf32>
    %1925 = stablehlo.subtract %arg7, %1924 : tensor<128xf32>
    %1926 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1927 = stablehlo.divide %1271, %1926 : tensor<128xf32>
    %1928 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1929 = stablehlo.divide %1545, %1928 : tensor<128xf32>
    %1930 = stablehlo.sqrt %1929 : tensor<128xf32>
    %cst_555 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1931 = stablehlo.broadcast_in_dim %cst_555, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1932 = stablehlo.add %1930, %1931 : tensor<128xf32>
    %1933 = stablehlo.divide %1927, %1932 : tensor<128xf32>
    %cst_556 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1934 = stablehlo.broadcast_in_dim %cst_556, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1935 = stablehlo.multiply %1934, %arg8 : tensor<128xf32>
    %1936 = stablehlo.add %1933, %1935 : tensor<128xf32>
    %cst_557 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1937 = stablehlo.broadcast_in_dim %cst_557, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1938 = stablehlo.multiply %1937, %1936 : tensor<128xf32>
    %1939 = stablehlo.subtract %arg8, %1938 : tensor<128xf32>
    %1940 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1941 = stablehlo.divide %1276, %1940 : tensor<128xf32>
    %1942 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1943 = stablehlo.divide %1551, %1942 : tensor<128xf32>
    %1944 = stablehlo.sqrt %1943 : tensor<128xf32>
    %cst_558 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1945 = stablehlo.broadcast_in_dim %cst_558, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1946 = stablehlo.add %1944, %1945 : tensor<128xf32>
    %1947 = stablehlo.divide %1941, %1946 : tensor<128xf32>
    %cst_559 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1948 = stablehlo.broadcast_in_dim %cst_559, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1949 = stablehlo.multiply %1948, %arg9 : tensor<128xf32>
    %1950 = stablehlo.add %1947, %1949 : tensor<128xf32>
    %cst_560 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1951 = stablehlo.broadcast_in_dim %cst_560, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1952 = stablehlo.multiply %1951, %1950 : tensor<128xf32>
    %1953 = stablehlo.subtract %arg9, %1952 : tensor<128xf32>
    %1954 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1955 = stablehlo.divide %1281, %1954 : tensor<128x512xf32>
    %1956 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1957 = stablehlo.divide %1557, %1956 : tensor<128x512xf32>
    %1958 = stablehlo.sqrt %1957 : tensor<128x512xf32>
    %cst_561 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1959 = stablehlo.broadcast_in_dim %cst_561, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1960 = stablehlo.add %1958, %1959 : tensor<128x512xf32>
    %1961 = stablehlo.divide %1955, %1960 : tensor<128x512xf32>
    %cst_562 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1962 = stablehlo.broadcast_in_dim %cst_562, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1963 = stablehlo.multiply %1962, %arg10 : tensor<128x512xf32>
    %1964 = stablehlo.add %1961, %1963 : tensor<128x512xf32>
    %cst_563 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1965 = stablehlo.broadcast_in_dim %cst_563, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1966 = stablehlo.multiply %1965, %1964 : tensor<128x512xf32>
    %1967 = stablehlo.subtract %arg10, %1966 : tensor<128x512xf32>
    %1968 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1969 = stablehlo.divide %1286, %1968 : tensor<512xf32>
    %1970 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1971 = stablehlo.divide %1563, %1970 : tensor<512xf32>
    %1972 = stablehlo.sqrt %1971 : tensor<512xf32>
    %cst_564 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1973 = stablehlo.broadcast_in_dim %cst_564, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1974 = stablehlo.add %1972, %1973 : tensor<512xf32>
    %1975 = stablehlo.divide %1969, %1974 : tensor<512xf32>
    %cst_565 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1976 = stablehlo.broadcast_in_dim %cst_565, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1977 = stablehlo.multiply %1976, %arg11 : tensor<512xf32>
    %1978 = stablehlo.add %1975, %1977 : tensor<512xf32>
    %cst_566 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1979 = stablehlo.broadcast_in_dim %cst_566, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %1980 = stablehlo.multiply %1979, %1978 : tensor<512xf32>
    %1981 = stablehlo.subtract %arg11, %1980 : tensor<512xf32>
    %1982 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1983 = stablehlo.divide %1291, %1982 : tensor<512x128xf32>
    %1984 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1985 = stablehlo.divide %1569, %1984 : tensor<512x128xf32>
    %1986 = stablehlo.sqrt %1985 : tensor<512x128xf32>
    %cst_567 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1987 = stablehlo.broadcast_in_dim %cst_567, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1988 = stablehlo.add %1986, %1987 : tensor<512x128xf32>
    %1989 = stablehlo.divide %1983, %1988 : tensor<512x128xf32>
    %cst_568 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1990 = stablehlo.broadcast_in_dim %cst_568, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1991 = stablehlo.multiply %1990, %arg12 : tensor<512x128xf32>
    %1992 = stablehlo.add %1989, %1991 : tensor<512x128xf32>
    %cst_569 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1993 = stablehlo.broadcast_in_dim %cst_569, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %1994 = stablehlo.multiply %1993, %1992 : tensor<512x128xf32>
    %1995 = stablehlo.subtract %arg12, %1994 : tensor<512x128xf32>
    %1996 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1997 = stablehlo.divide %1296, %1996 : tensor<128xf32>
    %1998 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1999 = stablehlo.divide %1575, %1998 : tensor<128xf32>
    %2000 = stablehlo.sqrt %1999 : tensor<128xf32>
    %cst_570 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2001 = stablehlo.broadcast_in_dim %cst_570, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2002 = stablehlo.add %2000, %2001 : tensor<128xf32>
    %2003 = stablehlo.divide %1997, %2002 : tensor<128xf32>
    %cst_571 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2004 = stablehlo.broadcast_in_dim %cst_571, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2005 = stablehlo.multiply %2004, %arg13 : tensor<128xf32>
    %2006 = stablehlo.add %2003, %2005 : tensor<128xf32>
    %cst_572 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2007 = stablehlo.broadcast_in_dim %cst_572, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2008 = stablehlo.multiply %2007, %2006 : tensor<128xf32>
    %2009 = stablehlo.subtract %arg13, %2008 : tensor<128xf32>
    %2010 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2011 = stablehlo.divide %1301, %2010 : tensor<128xf32>
    %2012 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2013 = stablehlo.divide %1581, %2012 : tensor<128xf32>
    %2014 = stablehlo.sqrt %2013 : tensor<128xf32>
    %cst_573 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2015 = stablehlo.broadcast_in_dim %cst_573, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2016 = stablehlo.add %2014, %2015 : tensor<128xf32>
    %2017 = stablehlo.divide %2011, %2016 : tensor<128xf32>
    %cst_574 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2018 = stablehlo.broadcast_in_dim %cst_574, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2019 = stablehlo.multiply %2018, %arg14 : tensor<128xf32>
    %2020 = stablehlo.add %2017, %2019 : tensor<128xf32>
    %cst_575 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2021 = stablehlo.broadcast_in_dim %cst_575, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2022 = stablehlo.multiply %2021, %2020 : tensor<128xf32>
    %2023 = stablehlo.subtract %arg14, %2022 : tensor<128xf32>
    %2024 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2025 = stablehlo.divide %1306, %2024 : tensor<128xf32>
    %2026 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2027 = stablehlo.divide %1587, %2026 : tensor<128xf32>
    %2028 = stablehlo.sqrt %2027 : tensor<128xf32>
    %cst_576 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2029 = stablehlo.broadcast_in_dim %cst_576, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2030 = stablehlo.add %2028, %2029 : tensor<128xf32>
    %2031 = stablehlo.divide %2025, %2030 : tensor<128xf32>
    %cst_577 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2032 = stablehlo.broadcast_in_dim %cst_577, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2033 = stablehlo.multiply %2032, %arg15 : tensor<128xf32>
    %2034 = stablehlo.add %2031, %2033 : tensor<128xf32>
    %cst_578 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2035 = stablehlo.broadcast_in_dim %cst_578, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2036 = stablehlo.multiply %2035, %2034 : tensor<128xf32>
    %2037 = stablehlo.subtract %arg15, %2036 : tensor<128xf32>
    %2038 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2039 = stablehlo.divide %1311, %2038 : tensor<128x384xf32>
    %2040 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2041 = stablehlo.divide %1593, %2040 : tensor<128x384xf32>
    %2042 = stablehlo.sqrt %2041 : tensor<128x384xf32>
    %cst_579 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2043 = stablehlo.broadcast_in_dim %cst_579, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2044 = stablehlo.add %2042, %2043 : tensor<128x384xf32>
    %2045 = stablehlo.divide %2039, %2044 : tensor<128x384xf32>
    %cst_580 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2046 = stablehlo.broadcast_in_dim %cst_580, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2047 = stablehlo.multiply %2046, %arg16 : tensor<128x384xf32>
    %2048 = stablehlo.add %2045, %2047 : tensor<128x384xf32>
    %cst_581 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2049 = stablehlo.broadcast_in_dim %cst_581, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2050 = stablehlo.multiply %2049, %2048 : tensor<128x384xf32>
    %2051 = stablehlo.subtract %arg16, %2050 : tensor<128x384xf32>
    %2052 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2053 = stablehlo.divide %1316, %2052 : tensor<384xf32>
    %2054 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2055 = stablehlo.divide %1599, %2054 : tensor<384xf32>
    %2056 = stablehlo.sqrt %2055 : tensor<384xf32>
    %cst_582 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2057 = stablehlo.broadcast_in_dim %cst_582, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2058 = stablehlo.add %2056, %2057 : tensor<384xf32>
    %2059 = stablehlo.divide %2053, %2058 : tensor<384xf32>
    %cst_583 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2060 = stablehlo.broadcast_in_dim %cst_583, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2061 = stablehlo.multiply %2060, %arg17 : tensor<384xf32>
    %2062 = stablehlo.add %2059, %2061 : tensor<384xf32>
    %cst_584 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2063 = stablehlo.broadcast_in_dim %cst_584, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2064 = stablehlo.multiply %2063, %2062 : tensor<384xf32>
    %2065 = stablehlo.subtract %arg17, %2064 : tensor<384xf32>
    %2066 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2067 = stablehlo.divide %1321, %2066 : tensor<128x128xf32>
    %2068 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2069 = stablehlo.divide %1605, %2068 : tensor<128x128xf32>
    %2070 = stablehlo.sqrt %2069 : tensor<128x128xf32>
    %cst_585 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2071 = stablehlo.broadcast_in_dim %cst_585, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2072 = stablehlo.add %2070, %2071 : tensor<128x128xf32>
    %2073 = stablehlo.divide %2067, %2072 : tensor<128x128xf32>
    %cst_586 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2074 = stablehlo.broadcast_in_dim %cst_586, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2075 = stablehlo.multiply %2074, %arg18 : tensor<128x128xf32>
    %2076 = stablehlo.add %2073, %2075 : tensor<128x128xf32>
    %cst_587 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2077 = stablehlo.broadcast_in_dim %cst_587, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2078 = stablehlo.multiply %2077, %2076 : tensor<128x128xf32>
    %2079 = stablehlo.subtract %arg18, %2078 : tensor<128x128xf32>
    %2080 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2081 = stablehlo.divide %1326, %2080 : tensor<128xf32>
    %2082 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2083 = stablehlo.divide %1611, %2082 : tensor<128xf32>
    %2084 = stablehlo.sqrt %2083 : tensor<128xf32>
    %cst_588 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2085 = stablehlo.broadcast_in_dim %cst_588, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2086 = stablehlo.add %2084, %2085 : tensor<128xf32>
    %2087 = stablehlo.divide %2081, %2086 : tensor<128xf32>
    %cst_589 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2088 = stablehlo.broadcast_in_dim %cst_589, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2089 = stablehlo.multiply %2088, %arg19 : tensor<128xf32>
    %2090 = stablehlo.add %2087, %2089 : tensor<128xf32>
    %cst_590 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2091 = stablehlo.broadcast_in_dim %cst_590, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2092 = stablehlo.multiply %2091, %2090 : tensor<128xf32>
    %2093 = stablehlo.subtract %arg19, %2092 : tensor<128xf32>
    %2094 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2095 = stablehlo.divide %1331, %2094 : tensor<128xf32>
    %2096 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2097 = stablehlo.divide %1617, %2096 : tensor<128xf32>
    %2098 = stablehlo.sqrt %2097 : tensor<128xf32>
    %cst_591 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2099 = stablehlo.broadcast_in_dim %cst_591, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2100 = stablehlo.add %2098, %2099 : tensor<128xf32>
    %2101 = stablehlo.divide %2095, %2100 : tensor<128xf32>
    %cst_592 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2102 = stablehlo.broadcast_in_dim %cst_592, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2103 = stablehlo.multiply %2102, %arg20 : tensor<128xf32>
    %2104 = stablehlo.add %2101, %2103 : tensor<128xf32>
    %cst_593 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2105 = stablehlo.broadcast_in_dim %cst_593, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2106 = stablehlo.multiply %2105, %2104 : tensor<128xf32>
    %2107 = stablehlo.subtract %arg20, %2106 : tensor<128xf32>
    %2108 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2109 = stablehlo.divide %1336, %2108 : tensor<128xf32>
    %2110 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2111 = stablehlo.divide %1623, %2110 : tensor<128xf32>
    %2112 = stablehlo.sqrt %2111 : tensor<128xf32>
    %cst_594 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2113 = stablehlo.broadcast_in_dim %cst_594, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2114 = stablehlo.add %2112, %2113 : tensor<128xf32>
    %2115 = stablehlo.divide %2109, %2114 : tensor<128xf32>
    %cst_595 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2116 = stablehlo.broadcast_in_dim %cst_595, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2117 = stablehlo.multiply %2116, %arg21 : tensor<128xf32>
    %2118 = stablehlo.add %2115, %2117 : tensor<128xf32>
    %cst_596 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2119 = stablehlo.broadcast_in_dim %cst_596, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2120 = stablehlo.multiply %2119, %2118 : tensor<128xf32>
    %2121 = stablehlo.subtract %arg21, %2120 : tensor<128xf32>
    %2122 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2123 = stablehlo.divide %1341, %2122 : tensor<128x512xf32>
    %2124 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2125 = stablehlo.divide %1629, %2124 : tensor<128x512xf32>
    %2126 = stablehlo.sqrt %2125 : tensor<128x512xf32>
    %cst_597 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2127 = stablehlo.broadcast_in_dim %cst_597, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2128 = stablehlo.add %2126, %2127 : tensor<128x512xf32>
    %2129 = stablehlo.divide %2123, %2128 : tensor<128x512xf32>
    %cst_598 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2130 = stablehlo.broadcast_in_dim %cst_598, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2131 = stablehlo.multiply %2130, %arg22 : tensor<128x512xf32>
    %2132 = stablehlo.add %2129, %2131 : tensor<128x512xf32>
    %cst_599 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2133 = stablehlo.broadcast_in_dim %cst_599, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2134 = stablehlo.multiply %2133, %2132 : tensor<128x512xf32>
    %2135 = stablehlo.subtract %arg22, %2134 : tensor<128x512xf32>
    %2136 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2137 = stablehlo.divide %1346, %2136 : tensor<512xf32>
    %2138 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2139 = stablehlo.divide %1635, %2138 : tensor<512xf32>
    %2140 = stablehlo.sqrt %2139 : tensor<512xf32>
    %cst_600 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2141 = stablehlo.broadcast_in_dim %cst_600, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2142 = stablehlo.add %2140, %2141 : tensor<512xf32>
    %2143 = stablehlo.divide %2137, %2142 : tensor<512xf32>
    %cst_601 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2144 = stablehlo.broadcast_in_dim %cst_601, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2145 = stablehlo.multiply %2144, %arg23 : tensor<512xf32>
    %2146 = stablehlo.add %2143, %2145 : tensor<512xf32>
    %cst_602 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2147 = stablehlo.broadcast_in_dim %cst_602, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2148 = stablehlo.multiply %2147, %2146 : tensor<512xf32>
    %2149 = stablehlo.subtract %arg23, %2148 : tensor<512xf32>
    %2150 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2151 = stablehlo.divide %1351, %2150 : tensor<512x128xf32>
    %2152 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2153 = stablehlo.divide %1641, %2152 : tensor<512x128xf32>
    %2154 = stablehlo.sqrt %2153 : tensor<512x128xf32>
    %cst_603 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2155 = stablehlo.broadcast_in_dim %cst_603, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2156 = stablehlo.add %2154, %2155 : tensor<512x128xf32>
    %2157 = stablehlo.divide %2151, %2156 : tensor<512x128xf32>
    %cst_604 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2158 = stablehlo.broadcast_in_dim %cst_604, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2159 = stablehlo.multiply %2158, %arg24 : tensor<512x128xf32>
    %2160 = stablehlo.add %2157, %2159 : tensor<512x128xf32>
    %cst_605 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2161 = stablehlo.broadcast_in_dim %cst_605, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2162 = stablehlo.multiply %2161, %2160 : tensor<512x128xf32>
    %2163 = stablehlo.subtract %arg24, %2162 : tensor<512x128xf32>
    %2164 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2165 = stablehlo.divide %1356, %2164 : tensor<128xf32>
    %2166 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2167 = stablehlo.divide %1647, %2166 : tensor<128xf32>
    %2168 = stablehlo.sqrt %2167 : tensor<128xf32>
    %cst_606 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2169 = stablehlo.broadcast_in_dim %cst_606, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2170 = stablehlo.add %2168, %2169 : tensor<128xf32>
    %2171 = stablehlo.divide %2165, %2170 : tensor<128xf32>
    %cst_607 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2172 = stablehlo.broadcast_in_dim %cst_607, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2173 = stablehlo.multiply %2172, %arg25 : tensor<128xf32>
    %2174 = stablehlo.add %2171, %2173 : tensor<128xf32>
    %cst_608 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2175 = stablehlo.broadcast_in_dim %cst_608, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2176 = stablehlo.multiply %2175, %2174 : tensor<128xf32>
    %2177 = stablehlo.subtract %arg25, %2176 : tensor<128xf32>
    %2178 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2179 = stablehlo.divide %1361, %2178 : tensor<128xf32>
    %2180 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2181 = stablehlo.divide %1653, %2180 : tensor<128xf32>
    %2182 = stablehlo.sqrt %2181 : tensor<128xf32>
    %cst_609 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2183 = stablehlo.broadcast_in_dim %cst_609, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2184 = stablehlo.add %2182, %2183 : tensor<128xf32>
    %2185 = stablehlo.divide %2179, %2184 : tensor<128xf32>
    %cst_610 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2186 = stablehlo.broadcast_in_dim %cst_610, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2187 = stablehlo.multiply %2186, %arg26 : tensor<128xf32>
    %2188 = stablehlo.add %2185, %2187 : tensor<128xf32>
    %cst_611 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2189 = stablehlo.broadcast_in_dim %cst_611, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2190 = stablehlo.multiply %2189, %2188 : tensor<128xf32>
    %2191 = stablehlo.subtract %arg26, %2190 : tensor<128xf32>
    %2192 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2193 = stablehlo.divide %1366, %2192 : tensor<128xf32>
    %2194 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2195 = stablehlo.divide %1659, %2194 : tensor<128xf32>
    %2196 = stablehlo.sqrt %2195 : tensor<128xf32>
    %cst_612 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2197 = stablehlo.broadcast_in_dim %cst_612, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2198 = stablehlo.add %2196, %2197 : tensor<128xf32>
    %2199 = stablehlo.divide %2193, %2198 : tensor<128xf32>
    %cst_613 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2200 = stablehlo.broadcast_in_dim %cst_613, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2201 = stablehlo.multiply %2200, %arg27 : tensor<128xf32>
    %2202 = stablehlo.add %2199, %2201 : tensor<128xf32>
    %cst_614 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2203 = stablehlo.broadcast_in_dim %cst_614, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2204 = stablehlo.multiply %2203, %2202 : tensor<128xf32>
    %2205 = stablehlo.subtract %arg27, %2204 : tensor<128xf32>
    %2206 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2207 = stablehlo.divide %1371, %2206 : tensor<128x384xf32>
    %2208 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2209 = stablehlo.divide %1665, %2208 : tensor<128x384xf32>
    %2210 = stablehlo.sqrt %2209 : tensor<128x384xf32>
    %cst_615 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2211 = stablehlo.broadcast_in_dim %cst_615, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2212 = stablehlo.add %2210, %2211 : tensor<128x384xf32>
    %2213 = stablehlo.divide %2207, %2212 : tensor<128x384xf32>
    %cst_616 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2214 = stablehlo.broadcast_in_dim %cst_616, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2215 = stablehlo.multiply %2214, %arg28 : tensor<128x384xf32>
    %2216 = stablehlo.add %2213, %2215 : tensor<128x384xf32>
    %cst_617 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2217 = stablehlo.broadcast_in_dim %cst_617, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2218 = stablehlo.multiply %2217, %2216 : tensor<128x384xf32>
    %2219 = stablehlo.subtract %arg28, %2218 : tensor<128x384xf32>
    %2220 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2221 = stablehlo.divide %1376, %2220 : tensor<384xf32>
    %2222 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2223 = stablehlo.divide %1671, %2222 : tensor<384xf32>
    %2224 = stablehlo.sqrt %2223 : tensor<384xf32>
    %cst_618 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2225 = stablehlo.broadcast_in_dim %cst_618, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2226 = stablehlo.add %2224, %2225 : tensor<384xf32>
    %2227 = stablehlo.divide %2221, %2226 : tensor<384xf32>
    %cst_619 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2228 = stablehlo.broadcast_in_dim %cst_619, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2229 = stablehlo.multiply %2228, %arg29 : tensor<384xf32>
    %2230 = stablehlo.add %2227, %2229 : tensor<384xf32>
    %cst_620 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2231 = stablehlo.broadcast_in_dim %cst_620, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2232 = stablehlo.multiply %2231, %2230 : tensor<384xf32>
    %2233 = stablehlo.subtract %arg29, %2232 : tensor<384xf32>
    %2234 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2235 = stablehlo.divide %1381, %2234 : tensor<128x128xf32>
    %2236 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2237 = stablehlo.divide %1677, %2236 : tensor<128x128xf32>
    %2238 = stablehlo.sqrt %2237 : tensor<128x128xf32>
    %cst_621 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2239 = stablehlo.broadcast_in_dim %cst_621, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2240 = stablehlo.add %2238, %2239 : tensor<128x128xf32>
    %2241 = stablehlo.divide %2235, %2240 : tensor<128x128xf32>
    %cst_622 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2242 = stablehlo.broadcast_in_dim %cst_622, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2243 = stablehlo.multiply %2242, %arg30 : tensor<128x128xf32>
    %2244 = stablehlo.add %2241, %2243 : tensor<128x128xf32>
    %cst_623 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2245 = stablehlo.broadcast_in_dim %cst_623, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2246 = stablehlo.multiply %2245, %2244 : tensor<128x128xf32>
    %2247 = stablehlo.subtract %arg30, %2246 : tensor<128x128xf32>
    %2248 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2249 = stablehlo.divide %1386, %2248 : tensor<128xf32>
    %2250 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2251 = stablehlo.divide %1683, %2250 : tensor<128xf32>
    %2252 = stablehlo.sqrt %2251 : tensor<128xf32>
    %cst_624 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2253 = stablehlo.broadcast_in_dim %cst_624, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2254 = stablehlo.add %2252, %2253 : tensor<128xf32>
    %2255 = stablehlo.divide %2249, %2254 : tensor<128xf32>
    %cst_625 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2256 = stablehlo.broadcast_in_dim %cst_625, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2257 = stablehlo.multiply %2256, %arg31 : tensor<128xf32>
    %2258 = stablehlo.add %2255, %2257 : tensor<128xf32>
    %cst_626 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2259 = stablehlo.broadcast_in_dim %cst_626, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2260 = stablehlo.multiply %2259, %2258 : tensor<128xf32>
    %2261 = stablehlo.subtract %arg31, %2260 : tensor<128xf32>
    %2262 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2263 = stablehlo.divide %1391, %2262 : tensor<128xf32>
    %2264 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2265 = stablehlo.divide %1689, %2264 : tensor<128xf32>
    %2266 = stablehlo.sqrt %2265 : tensor<128xf32>
    %cst_627 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2267 = stablehlo.broadcast_in_dim %cst_627, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2268 = stablehlo.add %2266, %2267 : tensor<128xf32>
    %2269 = stablehlo.divide %2263, %2268 : tensor<128xf32>
    %cst_628 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2270 = stablehlo.broadcast_in_dim %cst_628, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2271 = stablehlo.multiply %2270, %arg32 : tensor<128xf32>
    %2272 = stablehlo.add %2269, %2271 : tensor<128xf32>
    %cst_629 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2273 = stablehlo.broadcast_in_dim %cst_629, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2274 = stablehlo.multiply %2273, %2272 : tensor<128xf32>
    %2275 = stablehlo.subtract %arg32, %2274 : tensor<128xf32>
    %2276 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2277 = stablehlo.divide %1396, %2276 : tensor<128xf32>
    %2278 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2279 = stablehlo.divide %1695, %2278 : tensor<128xf32>
    %2280 = stablehlo.sqrt %2279 : tensor<128xf32>
    %cst_630 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2281 = stablehlo.broadcast_in_dim %cst_630, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2282 = stablehlo.add %2280, %2281 : tensor<128xf32>
    %2283 = stablehlo.divide %2277, %2282 : tensor<128xf32>
    %cst_631 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2284 = stablehlo.broadcast_in_dim %cst_631, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2285 = stablehlo.multiply %2284, %arg33 : tensor<128xf32>
    %2286 = stablehlo.add %2283, %2285 : tensor<128xf32>
    %cst_632 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2287 = stablehlo.broadcast_in_dim %cst_632, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2288 = stablehlo.multiply %2287, %2286 : tensor<128xf32>
    %2289 = stablehlo.subtract %arg33, %2288 : tensor<128xf32>
    %2290 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2291 = stablehlo.divide %1401, %2290 : tensor<128x512xf32>
    %2292 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2293 = stablehlo.divide %1701, %2292 : tensor<128x512xf32>
    %2294 = stablehlo.sqrt %2293 : tensor<128x512xf32>
    %cst_633 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2295 = stablehlo.broadcast_in_dim %cst_633, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2296 = stablehlo.add %2294, %2295 : tensor<128x512xf32>
    %2297 = stablehlo.divide %2291, %2296 : tensor<128x512xf32>
    %cst_634 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2298 = stablehlo.broadcast_in_dim %cst_634, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2299 = stablehlo.multiply %2298, %arg34 : tensor<128x512xf32>
    %2300 = stablehlo.add %2297, %2299 : tensor<128x512xf32>
    %cst_635 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2301 = stablehlo.broadcast_in_dim %cst_635, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2302 = stablehlo.multiply %2301, %2300 : tensor<128x512xf32>
    %2303 = stablehlo.subtract %arg34, %2302 : tensor<128x512xf32>
    %2304 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2305 = stablehlo.divide %1406, %2304 : tensor<512xf32>
    %2306 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2307 = stablehlo.divide %1707, %2306 : tensor<512xf32>
    %2308 = stablehlo.sqrt %2307 : tensor<512xf32>
    %cst_636 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2309 = stablehlo.broadcast_in_dim %cst_636, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2310 = stablehlo.add %2308, %2309 : tensor<512xf32>
    %2311 = stablehlo.divide %2305, %2310 : tensor<512xf32>
    %cst_637 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2312 = stablehlo.broadcast_in_dim %cst_637, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2313 = stablehlo.multiply %2312, %arg35 : tensor<512xf32>
    %2314 = stablehlo.add %2311, %2313 : tensor<512xf32>
    %cst_638 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2315 = stablehlo.broadcast_in_dim %cst_638, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2316 = stablehlo.multiply %2315, %2314 : tensor<512xf32>
    %2317 = stablehlo.subtract %arg35, %2316 : tensor<512xf32>
    %2318 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2319 = stablehlo.divide %1411, %2318 : tensor<512x128xf32>
    %2320 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2321 = stablehlo.divide %1713, %2320 : tensor<512x128xf32>
    %2322 = stablehlo.sqrt %2321 : tensor<512x128xf32>
    %cst_639 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2323 = stablehlo.broadcast_in_dim %cst_639, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2324 = stablehlo.add %2322, %2323 : tensor<512x128xf32>
    %2325 = stablehlo.divide %2319, %2324 : tensor<512x128xf32>
    %cst_640 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2326 = stablehlo.broadcast_in_dim %cst_640, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2327 = stablehlo.multiply %2326, %arg36 : tensor<512x128xf32>
    %2328 = stablehlo.add %2325, %2327 : tensor<512x128xf32>
    %cst_641 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2329 = stablehlo.broadcast_in_dim %cst_641, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2330 = stablehlo.multiply %2329, %2328 : tensor<512x128xf32>
    %2331 = stablehlo.subtract %arg36, %2330 : tensor<512x128xf32>
    %2332 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2333 = stablehlo.divide %1416, %2332 : tensor<128xf32>
    %2334 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2335 = stablehlo.divide %1719, %2334 : tensor<128xf32>
    %2336 = stablehlo.sqrt %2335 : tensor<128xf32>
    %cst_642 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2337 = stablehlo.broadcast_in_dim %cst_642, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2338 = stablehlo.add %2336, %2337 : tensor<128xf32>
    %2339 = stablehlo.divide %2333, %2338 : tensor<128xf32>
    %cst_643 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2340 = stablehlo.broadcast_in_dim %cst_643, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2341 = stablehlo.multiply %2340, %arg37 : tensor<128xf32>
    %2342 = stablehlo.add %2339, %2341 : tensor<128xf32>
    %cst_644 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2343 = stablehlo.broadcast_in_dim %cst_644, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2344 = stablehlo.multiply %2343, %2342 : tensor<128xf32>
    %2345 = stablehlo.subtract %arg37, %2344 : tensor<128xf32>
    %2346 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2347 = stablehlo.divide %1421, %2346 : tensor<128xf32>
    %2348 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2349 = stablehlo.divide %1725, %2348 : tensor<128xf32>
    %2350 = stablehlo.sqrt %2349 : tensor<128xf32>
    %cst_645 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2351 = stablehlo.broadcast_in_dim %cst_645, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2352 = stablehlo.add %2350, %2351 : tensor<128xf32>
    %2353 = stablehlo.divide %2347, %2352 : tensor<128xf32>
    %cst_646 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2354 = stablehlo.broadcast_in_dim %cst_646, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2355 = stablehlo.multiply %2354, %arg38 : tensor<128xf32>
    %2356 = stablehlo.add %2353, %2355 : tensor<128xf32>
    %cst_647 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2357 = stablehlo.broadcast_in_dim %cst_647, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2358 = stablehlo.multiply %2357, %2356 : tensor<128xf32>
    %2359 = stablehlo.subtract %arg38, %2358 : tensor<128xf32>
    %2360 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2361 = stablehlo.divide %1426, %2360 : tensor<128xf32>
    %2362 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2363 = stablehlo.divide %1731, %2362 : tensor<128xf32>
    %2364 = stablehlo.sqrt %2363 : tensor<128xf32>
    %cst_648 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2365 = stablehlo.broadcast_in_dim %cst_648, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2366 = stablehlo.add %2364, %2365 : tensor<128xf32>
    %2367 = stablehlo.divide %2361, %2366 : tensor<128xf32>
    %cst_649 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2368 = stablehlo.broadcast_in_dim %cst_649, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2369 = stablehlo.multiply %2368, %arg39 : tensor<128xf32>
    %2370 = stablehlo.add %2367, %2369 : tensor<128xf32>
    %cst_650 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2371 = stablehlo.broadcast_in_dim %cst_650, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2372 = stablehlo.multiply %2371, %2370 : tensor<128xf32>
    %2373 = stablehlo.subtract %arg39, %2372 : tensor<128xf32>
    %2374 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2375 = stablehlo.divide %1431, %2374 : tensor<128x384xf32>
    %2376 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2377 = stablehlo.divide %1737, %2376 : tensor<128x384xf32>
    %2378 = stablehlo.sqrt %2377 : tensor<128x384xf32>
    %cst_651 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2379 = stablehlo.broadcast_in_dim %cst_651, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2380 = stablehlo.add %2378, %2379 : tensor<128x384xf32>
    %2381 = stablehlo.divide %2375, %2380 : tensor<128x384xf32>
    %cst_652 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2382 = stablehlo.broadcast_in_dim %cst_652, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2383 = stablehlo.multiply %2382, %arg40 : tensor<128x384xf32>
    %2384 = stablehlo.add %2381, %2383 : tensor<128x384xf32>
    %cst_653 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2385 = stablehlo.broadcast_in_dim %cst_653, dims = [] : (tensor<f32>) -> tensor<128x384xf32>
    %2386 = stablehlo.multiply %2385, %2384 : tensor<128x384xf32>
    %2387 = stablehlo.subtract %arg40, %2386 : tensor<128x384xf32>
    %2388 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2389 = stablehlo.divide %1436, %2388 : tensor<384xf32>
    %2390 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2391 = stablehlo.divide %1743, %2390 : tensor<384xf32>
    %2392 = stablehlo.sqrt %2391 : tensor<384xf32>
    %cst_654 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2393 = stablehlo.broadcast_in_dim %cst_654, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2394 = stablehlo.add %2392, %2393 : tensor<384xf32>
    %2395 = stablehlo.divide %2389, %2394 : tensor<384xf32>
    %cst_655 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2396 = stablehlo.broadcast_in_dim %cst_655, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2397 = stablehlo.multiply %2396, %arg41 : tensor<384xf32>
    %2398 = stablehlo.add %2395, %2397 : tensor<384xf32>
    %cst_656 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2399 = stablehlo.broadcast_in_dim %cst_656, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %2400 = stablehlo.multiply %2399, %2398 : tensor<384xf32>
    %2401 = stablehlo.subtract %arg41, %2400 : tensor<384xf32>
    %2402 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2403 = stablehlo.divide %1441, %2402 : tensor<128x128xf32>
    %2404 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2405 = stablehlo.divide %1749, %2404 : tensor<128x128xf32>
    %2406 = stablehlo.sqrt %2405 : tensor<128x128xf32>
    %cst_657 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2407 = stablehlo.broadcast_in_dim %cst_657, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2408 = stablehlo.add %2406, %2407 : tensor<128x128xf32>
    %2409 = stablehlo.divide %2403, %2408 : tensor<128x128xf32>
    %cst_658 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2410 = stablehlo.broadcast_in_dim %cst_658, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2411 = stablehlo.multiply %2410, %arg42 : tensor<128x128xf32>
    %2412 = stablehlo.add %2409, %2411 : tensor<128x128xf32>
    %cst_659 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2413 = stablehlo.broadcast_in_dim %cst_659, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
    %2414 = stablehlo.multiply %2413, %2412 : tensor<128x128xf32>
    %2415 = stablehlo.subtract %arg42, %2414 : tensor<128x128xf32>
    %2416 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2417 = stablehlo.divide %1446, %2416 : tensor<128xf32>
    %2418 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2419 = stablehlo.divide %1755, %2418 : tensor<128xf32>
    %2420 = stablehlo.sqrt %2419 : tensor<128xf32>
    %cst_660 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2421 = stablehlo.broadcast_in_dim %cst_660, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2422 = stablehlo.add %2420, %2421 : tensor<128xf32>
    %2423 = stablehlo.divide %2417, %2422 : tensor<128xf32>
    %cst_661 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2424 = stablehlo.broadcast_in_dim %cst_661, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2425 = stablehlo.multiply %2424, %arg43 : tensor<128xf32>
    %2426 = stablehlo.add %2423, %2425 : tensor<128xf32>
    %cst_662 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2427 = stablehlo.broadcast_in_dim %cst_662, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2428 = stablehlo.multiply %2427, %2426 : tensor<128xf32>
    %2429 = stablehlo.subtract %arg43, %2428 : tensor<128xf32>
    %2430 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2431 = stablehlo.divide %1451, %2430 : tensor<128xf32>
    %2432 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2433 = stablehlo.divide %1761, %2432 : tensor<128xf32>
    %2434 = stablehlo.sqrt %2433 : tensor<128xf32>
    %cst_663 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2435 = stablehlo.broadcast_in_dim %cst_663, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2436 = stablehlo.add %2434, %2435 : tensor<128xf32>
    %2437 = stablehlo.divide %2431, %2436 : tensor<128xf32>
    %cst_664 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2438 = stablehlo.broadcast_in_dim %cst_664, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2439 = stablehlo.multiply %2438, %arg44 : tensor<128xf32>
    %2440 = stablehlo.add %2437, %2439 : tensor<128xf32>
    %cst_665 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2441 = stablehlo.broadcast_in_dim %cst_665, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2442 = stablehlo.multiply %2441, %2440 : tensor<128xf32>
    %2443 = stablehlo.subtract %arg44, %2442 : tensor<128xf32>
    %2444 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2445 = stablehlo.divide %1456, %2444 : tensor<128xf32>
    %2446 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2447 = stablehlo.divide %1767, %2446 : tensor<128xf32>
    %2448 = stablehlo.sqrt %2447 : tensor<128xf32>
    %cst_666 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2449 = stablehlo.broadcast_in_dim %cst_666, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2450 = stablehlo.add %2448, %2449 : tensor<128xf32>
    %2451 = stablehlo.divide %2445, %2450 : tensor<128xf32>
    %cst_667 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2452 = stablehlo.broadcast_in_dim %cst_667, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2453 = stablehlo.multiply %2452, %arg45 : tensor<128xf32>
    %2454 = stablehlo.add %2451, %2453 : tensor<128xf32>
    %cst_668 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2455 = stablehlo.broadcast_in_dim %cst_668, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2456 = stablehlo.multiply %2455, %2454 : tensor<128xf32>
    %2457 = stablehlo.subtract %arg45, %2456 : tensor<128xf32>
    %2458 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2459 = stablehlo.divide %1461, %2458 : tensor<128x512xf32>
    %2460 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2461 = stablehlo.divide %1773, %2460 : tensor<128x512xf32>
    %2462 = stablehlo.sqrt %2461 : tensor<128x512xf32>
    %cst_669 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2463 = stablehlo.broadcast_in_dim %cst_669, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2464 = stablehlo.add %2462, %2463 : tensor<128x512xf32>
    %2465 = stablehlo.divide %2459, %2464 : tensor<128x512xf32>
    %cst_670 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2466 = stablehlo.broadcast_in_dim %cst_670, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2467 = stablehlo.multiply %2466, %arg46 : tensor<128x512xf32>
    %2468 = stablehlo.add %2465, %2467 : tensor<128x512xf32>
    %cst_671 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2469 = stablehlo.broadcast_in_dim %cst_671, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %2470 = stablehlo.multiply %2469, %2468 : tensor<128x512xf32>
    %2471 = stablehlo.subtract %arg46, %2470 : tensor<128x512xf32>
    %2472 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2473 = stablehlo.divide %1466, %2472 : tensor<512xf32>
    %2474 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2475 = stablehlo.divide %1779, %2474 : tensor<512xf32>
    %2476 = stablehlo.sqrt %2475 : tensor<512xf32>
    %cst_672 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2477 = stablehlo.broadcast_in_dim %cst_672, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2478 = stablehlo.add %2476, %2477 : tensor<512xf32>
    %2479 = stablehlo.divide %2473, %2478 : tensor<512xf32>
    %cst_673 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2480 = stablehlo.broadcast_in_dim %cst_673, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2481 = stablehlo.multiply %2480, %arg47 : tensor<512xf32>
    %2482 = stablehlo.add %2479, %2481 : tensor<512xf32>
    %cst_674 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2483 = stablehlo.broadcast_in_dim %cst_674, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %2484 = stablehlo.multiply %2483, %2482 : tensor<512xf32>
    %2485 = stablehlo.subtract %arg47, %2484 : tensor<512xf32>
    %2486 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2487 = stablehlo.divide %1471, %2486 : tensor<512x128xf32>
    %2488 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2489 = stablehlo.divide %1785, %2488 : tensor<512x128xf32>
    %2490 = stablehlo.sqrt %2489 : tensor<512x128xf32>
    %cst_675 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2491 = stablehlo.broadcast_in_dim %cst_675, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2492 = stablehlo.add %2490, %2491 : tensor<512x128xf32>
    %2493 = stablehlo.divide %2487, %2492 : tensor<512x128xf32>
    %cst_676 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2494 = stablehlo.broadcast_in_dim %cst_676, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2495 = stablehlo.multiply %2494, %arg48 : tensor<512x128xf32>
    %2496 = stablehlo.add %2493, %2495 : tensor<512x128xf32>
    %cst_677 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2497 = stablehlo.broadcast_in_dim %cst_677, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
    %2498 = stablehlo.multiply %2497, %2496 : tensor<512x128xf32>
    %2499 = stablehlo.subtract %arg48, %2498 : tensor<512x128xf32>
    %2500 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2501 = stablehlo.divide %1476, %2500 : tensor<128xf32>
    %2502 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2503 = stablehlo.divide %1791, %2502 : tensor<128xf32>
    %2504 = stablehlo.sqrt %2503 : tensor<128xf32>
    %cst_678 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2505 = stablehlo.broadcast_in_dim %cst_678, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2506 = stablehlo.add %2504, %2505 : tensor<128xf32>
    %2507 = stablehlo.divide %2501, %2506 : tensor<128xf32>
    %cst_679 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2508 = stablehlo.broadcast_in_dim %cst_679, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2509 = stablehlo.multiply %2508, %arg49 : tensor<128xf32>
    %2510 = stablehlo.add %2507, %2509 : tensor<128xf32>
    %cst_680 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2511 = stablehlo.broadcast_in_dim %cst_680, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2512 = stablehlo.multiply %2511, %2510 : tensor<128xf32>
    %2513 = stablehlo.subtract %arg49, %2512 : tensor<128xf32>
    %2514 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2515 = stablehlo.divide %1481, %2514 : tensor<128xf32>
    %2516 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2517 = stablehlo.divide %1797, %2516 : tensor<128xf32>
    %2518 = stablehlo.sqrt %2517 : tensor<128xf32>
    %cst_681 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2519 = stablehlo.broadcast_in_dim %cst_681, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2520 = stablehlo.add %2518, %2519 : tensor<128xf32>
    %2521 = stablehlo.divide %2515, %2520 : tensor<128xf32>
    %cst_682 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2522 = stablehlo.broadcast_in_dim %cst_682, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2523 = stablehlo.multiply %2522, %arg50 : tensor<128xf32>
    %2524 = stablehlo.add %2521, %2523 : tensor<128xf32>
    %cst_683 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2525 = stablehlo.broadcast_in_dim %cst_683, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2526 = stablehlo.multiply %2525, %2524 : tensor<128xf32>
    %2527 = stablehlo.subtract %arg50, %2526 : tensor<128xf32>
    %2528 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2529 = stablehlo.divide %1486, %2528 : tensor<128xf32>
    %2530 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2531 = stablehlo.divide %1803, %2530 : tensor<128xf32>
    %2532 = stablehlo.sqrt %2531 : tensor<128xf32>
    %cst_684 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2533 = stablehlo.broadcast_in_dim %cst_684, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2534 = stablehlo.add %2532, %2533 : tensor<128xf32>
    %2535 = stablehlo.divide %2529, %2534 : tensor<128xf32>
    %cst_685 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2536 = stablehlo.broadcast_in_dim %cst_685, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2537 = stablehlo.multiply %2536, %arg51 : tensor<128xf32>
    %2538 = stablehlo.add %2535, %2537 : tensor<128xf32>
    %cst_686 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2539 = stablehlo.broadcast_in_dim %cst_686, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2540 = stablehlo.multiply %2539, %2538 : tensor<128xf32>
    %2541 = stablehlo.subtract %arg51, %2540 : tensor<128xf32>
    %2542 = stablehlo.broadcast_in_dim %1811, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
    %2543 = stablehlo.divide %1491, %2542 : tensor<128x256xf32>
    %2544 = stablehlo.broadcast_in_dim %1813, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
    %2545 = stablehlo.divide %1809, %2544 : tensor<128x256xf32>
    %2546 = stablehlo.sqrt %2545 : tensor<128x256xf32>
    %cst_687 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %2547 = stablehlo.broadcast_in_dim %cst_687, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
    %2548 = stablehlo.add %2546, %2547 : tensor<128x256xf32>
    %2549 = stablehlo.divide %2543, %2548 : tensor<128x256xf32>
    %cst_688 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2550 = stablehlo.broadcast_in_dim %cst_688, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
    %2551 = stablehlo.multiply %2550, %arg52 : tensor<128x256xf32>
    %2552 = stablehlo.add %2549, %2551 : tensor<128x256xf32>
    %cst_689 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %2553 = stablehlo.broadcast_in_dim %cst_689, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
    %2554 = stablehlo.multiply %2553, %2552 : tensor<128x256xf32>
    %2555 = stablehlo.subtract %arg52, %2554 : tensor<128x256xf32>
    return %619, %1827, %1841, %1855, %1869, %1883, %1897, %1911, %1925, %1939, %1953, %1967, %1981, %1995, %2009, %2023, %2037, %2051, %2065, %2079, %2093, %2107, %2121, %2135, %2149, %2163, %2177, %2191, %2205, %2219, %2233, %2247, %2261, %2275, %2289, %2303, %2317, %2331, %2345, %2359, %2373, %2387, %2401, %2415, %2429, %2443, %2457, %2471, %2485, %2499, %2513, %2527, %2541, %2555, %1231, %1236, %1241, %1246, %1251, %1256, %1261, %1266, %1271, %1276, %1281, %1286, %1291, %1296, %1301, %1306, %1311, %1316, %1321, %1326, %1331, %1336, %1341, %1346, %1351, %1356, %1361, %1366, %1371, %1376, %1381, %1386, %1391, %1396, %1401, %1406, %1411, %1416, %1421, %1426, %1431, %1436, %1441, %1446, %1451, %1456, %1461, %1466, %1471, %1476, %1481, %1486, %1491, %1497, %1503, %1509, %1515, %1521, %1527, %1533, %1539, %1545, %1551, %1557, %1563, %1569, %1575, %1581, %1587, %1593, %1599, %1605, %1611, %1617, %1623, %1629, %1635, %1641, %1647, %1653, %1659, %1665, %1671, %1677, %1683, %1689, %1695, %1701, %1707, %1713, %1719, %1725, %1731, %1737, %1743, %1749, %1755, %1761, %1767, %1773, %1779, %1785, %1791, %1797, %1803, %1809, %1226 : tensor<f32>, tensor<256x128xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x256xf32>, tensor<256x128xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x256xf32>, tensor<256x128xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x256xf32>, tensor<f32>
  }
  func.func private @tril(%arg0: tensor<128x128xi1>) -> tensor<128x128xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<128x128xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<128x128xi32>
    %2 = stablehlo.add %0, %1 : tensor<128x128xi32>
    %3 = stablehlo.iota dim = 1 : tensor<128x128xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<128x128xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<128x128xi1>, tensor<128x128xi1>
    return %6 : tensor<128x128xi1>
  }
  func.func private @_where(%arg0: tensor<128x128xi1>, %arg1: tensor<8x4x128x128xf32>, %arg2: tensor<f32>) -> (tensor<8x4x128x128xf32>, tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<128x128xi1>) -> tensor<8x4x128x128xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    return %2, %0, %3 : tensor<8x4x128x128xf32>, tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>
  }
  func.func private @log_softmax(%arg0: tensor<8x128x256xf32>) -> (tensor<8x128x256xf32>, tensor<8x128x256xf32>, tensor<8x128x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8x128xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x128x256xf32>
    %6 = stablehlo.exponential %5 : tensor<8x128x256xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %9 = stablehlo.log %8 : tensor<8x128x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x128x256xf32>
    return %11, %6, %8 : tensor<8x128x256xf32>, tensor<8x128x256xf32>, tensor<8x128x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x128x256xf32>, %arg1: tensor<8x128x1xi32>) -> (tensor<8x128x1xf32>, tensor<8x128x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x128x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x128x1xi32>, tensor<8x128x1xi32>) -> tensor<8x128x1xi1>
    %c_0 = stablehlo.constant dense<256> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x128x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x128x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x128x1xi1>, tensor<8x128x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x128x1xi32>) -> tensor<8x128x1x1xi32>
    %c_1 = stablehlo.constant dense<255> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x128x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x128x1x1xi32>, tensor<8x128x1x1xi32>) -> tensor<8x128x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<8x128x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x128x1x1xi32>, tensor<8x128x1x1xi32>) -> tensor<8x128x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x128x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<8x128x1x1xi1>, tensor<i1>) -> tensor<8x128x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x128x256xf32>, tensor<8x128x1x1xi32>) -> tensor<8x128x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x128x1xi1>, tensor<8x128x1xf32>
    return %15, %5 : tensor<8x128x1xf32>, tensor<8x128x1x1xi32>
  }
  func.func private @take_along_axis_0(%arg0: tensor<8x128x1x1xi32>, %arg1: tensor<8x128x1xf32>) -> tensor<8x128x256xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128x256xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x128x256xf32>, tensor<8x128x1x1xi32>, tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    return %1 : tensor<8x128x256xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<8x128x256xf32>, %arg1: tensor<8x128x1xf32>, %arg2: tensor<8x128x256xf32>) -> tensor<8x128x256xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x128x256xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x128x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x256xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x128x256xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x128x256xf32>
    return %7 : tensor<8x128x256xf32>
  }
  func.func private @_where_2(%arg0: tensor<8x4x128x128xi1>, %arg1: tensor<8x4x128x128xf32>, %arg2: tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>
    return %1 : tensor<8x4x128x128xf32>
  }
}
