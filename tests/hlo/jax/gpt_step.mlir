module @jit_gpt_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<11x8xf32>, %arg1: tensor<5x8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8x24xf32>, %arg5: tensor<24xf32>, %arg6: tensor<8x8xf32>, %arg7: tensor<8xf32>, %arg8: tensor<8xf32>, %arg9: tensor<8xf32>, %arg10: tensor<8x32xf32>, %arg11: tensor<32xf32>, %arg12: tensor<32x8xf32>, %arg13: tensor<8xf32>, %arg14: tensor<8xf32>, %arg15: tensor<8xf32>, %arg16: tensor<8x11xf32>, %arg17: tensor<11x8xf32>, %arg18: tensor<5x8xf32>, %arg19: tensor<8xf32>, %arg20: tensor<8xf32>, %arg21: tensor<8x24xf32>, %arg22: tensor<24xf32>, %arg23: tensor<8x8xf32>, %arg24: tensor<8xf32>, %arg25: tensor<8xf32>, %arg26: tensor<8xf32>, %arg27: tensor<8x32xf32>, %arg28: tensor<32xf32>, %arg29: tensor<32x8xf32>, %arg30: tensor<8xf32>, %arg31: tensor<8xf32>, %arg32: tensor<8xf32>, %arg33: tensor<8x11xf32>, %arg34: tensor<11x8xf32>, %arg35: tensor<5x8xf32>, %arg36: tensor<8xf32>, %arg37: tensor<8xf32>, %arg38: tensor<8x24xf32>, %arg39: tensor<24xf32>, %arg40: tensor<8x8xf32>, %arg41: tensor<8xf32>, %arg42: tensor<8xf32>, %arg43: tensor<8xf32>, %arg44: tensor<8x32xf32>, %arg45: tensor<32xf32>, %arg46: tensor<32x8xf32>, %arg47: tensor<8xf32>, %arg48: tensor<8xf32>, %arg49: tensor<8xf32>, %arg50: tensor<8x11xf32>, %arg51: tensor<f32>, %arg52: tensor<2x5xi32>, %arg53: tensor<2x5xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11x8xf32> {jax.result_info = "result[1]"}, tensor<5x8xf32> {jax.result_info = "result[2]"}, tensor<8xf32> {jax.result_info = "result[3]"}, tensor<8xf32> {jax.result_info = "result[4]"}, tensor<8x24xf32> {jax.result_info = "result[5]"}, tensor<24xf32> {jax.result_info = "result[6]"}, tensor<8x8xf32> {jax.result_info = "result[7]"}, tensor<8xf32> {jax.result_info = "result[8]"}, tensor<8xf32> {jax.result_info = "result[9]"}, tensor<8xf32> {jax.result_info = "result[10]"}, tensor<8x32xf32> {jax.result_info = "result[11]"}, tensor<32xf32> {jax.result_info = "result[12]"}, tensor<32x8xf32> {jax.result_info = "result[13]"}, tensor<8xf32> {jax.result_info = "result[14]"}, tensor<8xf32> {jax.result_info = "result[15]"}, tensor<8xf32> {jax.result_info = "result[16]"}, tensor<8x11xf32> {jax.result_info = "result[17]"}, tensor<11x8xf32> {jax.result_info = "result[18]"}, tensor<5x8xf32> {jax.result_info = "result[19]"}, tensor<8xf32> {jax.result_info = "result[20]"}, tensor<8xf32> {jax.result_info = "result[21]"}, tensor<8x24xf32> {jax.result_info = "result[22]"}, tensor<24xf32> {jax.result_info = "result[23]"}, tensor<8x8xf32> {jax.result_info = "result[24]"}, tensor<8xf32> {jax.result_info = "result[25]"}, tensor<8xf32> {jax.result_info = "result[26]"}, tensor<8xf32> {jax.result_info = "result[27]"}, tensor<8x32xf32> {jax.result_info = "result[28]"}, tensor<32xf32> {jax.result_info = "result[29]"}, tensor<32x8xf32> {jax.result_info = "result[30]"}, tensor<8xf32> {jax.result_info = "result[31]"}, tensor<8xf32> {jax.result_info = "result[32]"}, tensor<8xf32> {jax.result_info = "result[33]"}, tensor<8x11xf32> {jax.result_info = "result[34]"}, tensor<11x8xf32> {jax.result_info = "result[35]"}, tensor<5x8xf32> {jax.result_info = "result[36]"}, tensor<8xf32> {jax.result_info = "result[37]"}, tensor<8xf32> {jax.result_info = "result[38]"}, tensor<8x24xf32> {jax.result_info = "result[39]"}, tensor<24xf32> {jax.result_info = "result[40]"}, tensor<8x8xf32> {jax.result_info = "result[41]"}, tensor<8xf32> {jax.result_info = "result[42]"}, tensor<8xf32> {jax.result_info = "result[43]"}, tensor<8xf32> {jax.result_info = "result[44]"}, tensor<8x32xf32> {jax.result_info = "result[45]"}, tensor<32xf32> {jax.result_info = "result[46]"}, tensor<32x8xf32> {jax.result_info = "result[47]"}, tensor<8xf32> {jax.result_info = "result[48]"}, tensor<8xf32> {jax.result_info = "result[49]"}, tensor<8xf32> {jax.result_info = "result[50]"}, tensor<8x11xf32> {jax.result_info = "result[51]"}, tensor<f32> {jax.result_info = "result[52]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x5xi32>
    %1 = stablehlo.compare LT, %arg52, %0, SIGNED : (tensor<2x5xi32>, tensor<2x5xi32>) -> tensor<2x5xi1>
    %c_0 = stablehlo.constant dense<11> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x5xi32>
    %3 = stablehlo.add %arg52, %2 : tensor<2x5xi32>
    %4 = stablehlo.select %1, %3, %arg52 : tensor<2x5xi1>, tensor<2x5xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x5xi32>) -> tensor<2x5x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<11x8xf32>, tensor<2x5x1xi32>) -> tensor<2x5x8xf32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<5x8xf32>) -> tensor<1x5x8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x5x8xf32>) -> tensor<2x5x8xf32>
    %9 = stablehlo.add %6, %8 : tensor<2x5x8xf32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<5x5xi1>
    %11 = call @tril(%10) : (tensor<5x5xi1>) -> tensor<5x5xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %15 = stablehlo.divide %13, %14 : tensor<2x5x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %17 = stablehlo.subtract %9, %16 : tensor<2x5x8xf32>
    %18 = stablehlo.multiply %17, %17 : tensor<2x5x8xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x5x8xf32>
    %20 = stablehlo.multiply %19, %17 : tensor<2x5x8xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%18 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_5 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %24 = stablehlo.divide %22, %23 : tensor<2x5x1xf32>
    %25 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %26 = stablehlo.subtract %9, %25 : tensor<2x5x8xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %28 = stablehlo.add %24, %27 : tensor<2x5x1xf32>
    %29 = stablehlo.rsqrt %28 : tensor<2x5x1xf32>
    %30 = stablehlo.divide %29, %28 : tensor<2x5x1xf32>
    %cst_7 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %32 = stablehlo.multiply %31, %30 : tensor<2x5x1xf32>
    %33 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %34 = stablehlo.multiply %26, %33 : tensor<2x5x8xf32>
    %35 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %37 = stablehlo.multiply %34, %36 : tensor<2x5x8xf32>
    %38 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %40 = stablehlo.add %37, %39 : tensor<2x5x8xf32>
    %41 = stablehlo.dot_general %40, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xf32>, tensor<8x24xf32>) -> tensor<2x5x24xf32>
    %42 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<2x5x24xf32>
    %44 = stablehlo.add %41, %43 : tensor<2x5x24xf32>
    %45 = stablehlo.reshape %44 : (tensor<2x5x24xf32>) -> tensor<2x5x3x2x4xf32>
    %46 = stablehlo.slice %45 [0:2, 0:5, 0:1, 0:2, 0:4] : (tensor<2x5x3x2x4xf32>) -> tensor<2x5x1x2x4xf32>
    %47 = stablehlo.reshape %46 : (tensor<2x5x1x2x4xf32>) -> tensor<2x5x2x4xf32>
    %48 = stablehlo.transpose %47, dims = [0, 2, 1, 3] : (tensor<2x5x2x4xf32>) -> tensor<2x2x5x4xf32>
    %49 = stablehlo.slice %45 [0:2, 0:5, 1:2, 0:2, 0:4] : (tensor<2x5x3x2x4xf32>) -> tensor<2x5x1x2x4xf32>
    %50 = stablehlo.reshape %49 : (tensor<2x5x1x2x4xf32>) -> tensor<2x5x2x4xf32>
    %51 = stablehlo.transpose %50, dims = [0, 2, 1, 3] : (tensor<2x5x2x4xf32>) -> tensor<2x2x5x4xf32>
    %52 = stablehlo.slice %45 [0:2, 0:5, 2:3, 0:2, 0:4] : (tensor<2x5x3x2x4xf32>) -> tensor<2x5x1x2x4xf32>
    %53 = stablehlo.reshape %52 : (tensor<2x5x1x2x4xf32>) -> tensor<2x5x2x4xf32>
    %54 = stablehlo.transpose %53, dims = [0, 2, 1, 3] : (tensor<2x5x2x4xf32>) -> tensor<2x2x5x4xf32>
    %55 = stablehlo.transpose %51, dims = [0, 1, 3, 2] : (tensor<2x2x5x4xf32>) -> tensor<2x2x4x5xf32>
    %56 = stablehlo.dot_general %48, %55, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x5x4xf32>, tensor<2x2x4x5xf32>) -> tensor<2x2x5x5xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x2x5x5xf32>
    %58 = stablehlo.multiply %56, %57 : tensor<2x2x5x5xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %59:2 = call @_where(%11, %58, %cst_9) : (tensor<5x5xi1>, tensor<2x2x5x5xf32>, tensor<f32>) -> (tensor<2x2x5x5xf32>, tensor<2x2x5x5xi1>)
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %60 = stablehlo.reduce(%59#0 init: %cst_10) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x5x5xf32>, tensor<f32>) -> tensor<2x2x5xf32>
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x2x5xf32>
    %62 = stablehlo.maximum %61, %60 : tensor<2x2x5xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2] : (tensor<2x2x5xf32>) -> tensor<2x2x5x1xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xf32>) -> tensor<2x2x5x5xf32>
    %65 = stablehlo.subtract %59#0, %64 : tensor<2x2x5x5xf32>
    %66 = stablehlo.exponential %65 : tensor<2x2x5x5xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.reduce(%66 init: %cst_12) applies stablehlo.add across dimensions = [3] : (tensor<2x2x5x5xf32>, tensor<f32>) -> tensor<2x2x5xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<2x2x5xf32>) -> tensor<2x2x5x1xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xf32>) -> tensor<2x2x5x5xf32>
    %70 = stablehlo.divide %66, %69 : tensor<2x2x5x5xf32>
    %71 = stablehlo.multiply %68, %68 : tensor<2x2x5x1xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x2x5x1xf32>
    %73 = stablehlo.divide %72, %71 : tensor<2x2x5x1xf32>
    %74 = stablehlo.dot_general %70, %54, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x5x5xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x4xf32>
    %75 = stablehlo.transpose %74, dims = [0, 2, 1, 3] : (tensor<2x2x5x4xf32>) -> tensor<2x5x2x4xf32>
    %76 = stablehlo.reshape %75 : (tensor<2x5x2x4xf32>) -> tensor<2x5x8xf32>
    %77 = stablehlo.dot_general %76, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
    %78 = stablehlo.add %9, %77 : tensor<2x5x8xf32>
    %79 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %81 = stablehlo.add %78, %80 : tensor<2x5x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%81 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_15 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %85 = stablehlo.divide %83, %84 : tensor<2x5x1xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %87 = stablehlo.subtract %81, %86 : tensor<2x5x8xf32>
    %88 = stablehlo.multiply %87, %87 : tensor<2x5x8xf32>
    %cst_16 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x5x8xf32>
    %90 = stablehlo.multiply %89, %87 : tensor<2x5x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.reduce(%88 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_18 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %94 = stablehlo.divide %92, %93 : tensor<2x5x1xf32>
    %95 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %96 = stablehlo.subtract %81, %95 : tensor<2x5x8xf32>
    %cst_19 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %98 = stablehlo.add %94, %97 : tensor<2x5x1xf32>
    %99 = stablehlo.rsqrt %98 : tensor<2x5x1xf32>
    %100 = stablehlo.divide %99, %98 : tensor<2x5x1xf32>
    %cst_20 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %102 = stablehlo.multiply %101, %100 : tensor<2x5x1xf32>
    %103 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %104 = stablehlo.multiply %96, %103 : tensor<2x5x8xf32>
    %105 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %107 = stablehlo.multiply %104, %106 : tensor<2x5x8xf32>
    %108 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %110 = stablehlo.add %107, %109 : tensor<2x5x8xf32>
    %111 = stablehlo.dot_general %110, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xf32>, tensor<8x32xf32>) -> tensor<2x5x32xf32>
    %112 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x5x32xf32>
    %114 = stablehlo.add %111, %113 : tensor<2x5x32xf32>
    %115 = stablehlo.multiply %114, %114 : tensor<2x5x32xf32>
    %116 = stablehlo.multiply %115, %114 : tensor<2x5x32xf32>
    %117 = stablehlo.multiply %114, %114 : tensor<2x5x32xf32>
    %cst_21 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %119 = stablehlo.multiply %118, %117 : tensor<2x5x32xf32>
    %cst_22 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %121 = stablehlo.multiply %120, %116 : tensor<2x5x32xf32>
    %122 = stablehlo.add %114, %121 : tensor<2x5x32xf32>
    %cst_23 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %124 = stablehlo.multiply %123, %122 : tensor<2x5x32xf32>
    %125 = stablehlo.tanh %124 : tensor<2x5x32xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %127 = stablehlo.add %126, %125 : tensor<2x5x32xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %129 = stablehlo.subtract %128, %125 : tensor<2x5x32xf32>
    %130 = stablehlo.multiply %127, %129 : tensor<2x5x32xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %132 = stablehlo.add %131, %125 : tensor<2x5x32xf32>
    %cst_27 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %134 = stablehlo.multiply %133, %132 : tensor<2x5x32xf32>
    %135 = stablehlo.multiply %114, %134 : tensor<2x5x32xf32>
    %136 = stablehlo.dot_general %135, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x32xf32>, tensor<32x8xf32>) -> tensor<2x5x8xf32>
    %137 = stablehlo.add %81, %136 : tensor<2x5x8xf32>
    %138 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %140 = stablehlo.add %137, %139 : tensor<2x5x8xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.reduce(%140 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_29 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %144 = stablehlo.divide %142, %143 : tensor<2x5x1xf32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %146 = stablehlo.subtract %140, %145 : tensor<2x5x8xf32>
    %147 = stablehlo.multiply %146, %146 : tensor<2x5x8xf32>
    %cst_30 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x5x8xf32>
    %149 = stablehlo.multiply %148, %146 : tensor<2x5x8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %150 = stablehlo.reduce(%147 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %151 = stablehlo.broadcast_in_dim %150, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_32 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %153 = stablehlo.divide %151, %152 : tensor<2x5x1xf32>
    %154 = stablehlo.broadcast_in_dim %144, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %155 = stablehlo.subtract %140, %154 : tensor<2x5x8xf32>
    %cst_33 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %157 = stablehlo.add %153, %156 : tensor<2x5x1xf32>
    %158 = stablehlo.rsqrt %157 : tensor<2x5x1xf32>
    %159 = stablehlo.divide %158, %157 : tensor<2x5x1xf32>
    %cst_34 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %161 = stablehlo.multiply %160, %159 : tensor<2x5x1xf32>
    %162 = stablehlo.broadcast_in_dim %158, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %163 = stablehlo.multiply %155, %162 : tensor<2x5x8xf32>
    %164 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %165 = stablehlo.broadcast_in_dim %164, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %166 = stablehlo.multiply %163, %165 : tensor<2x5x8xf32>
    %167 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %168 = stablehlo.broadcast_in_dim %167, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %169 = stablehlo.add %166, %168 : tensor<2x5x8xf32>
    %170 = stablehlo.dot_general %169, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xf32>, tensor<8x11xf32>) -> tensor<2x5x11xf32>
    %171:3 = call @log_softmax(%170) : (tensor<2x5x11xf32>) -> (tensor<2x5x11xf32>, tensor<2x5x11xf32>, tensor<2x5x1xf32>)
    %172 = stablehlo.broadcast_in_dim %arg53, dims = [0, 1] : (tensor<2x5xi32>) -> tensor<2x5x1xi32>
    %173:2 = call @take_along_axis(%171#0, %172) : (tensor<2x5x11xf32>, tensor<2x5x1xi32>) -> (tensor<2x5x1xf32>, tensor<2x5x1x1xi32>)
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %174 = stablehlo.reduce(%173#0 init: %cst_35) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x5x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_36 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %175 = stablehlo.divide %174, %cst_36 : tensor<f32>
    %176 = stablehlo.negate %175 : tensor<f32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %177 = stablehlo.negate %cst_37 : tensor<f32>
    %cst_38 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %178 = stablehlo.divide %177, %cst_38 : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %180 = call @take_along_axis_0(%173#1, %179) : (tensor<2x5x1x1xi32>, tensor<2x5x1xf32>) -> tensor<2x5x11xf32>
    %181 = call @log_softmax_1(%171#1, %171#2, %180) : (tensor<2x5x11xf32>, tensor<2x5x1xf32>, tensor<2x5x11xf32>) -> tensor<2x5x11xf32>
    %182 = stablehlo.dot_general %181, %169, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x11xf32>, tensor<2x5x8xf32>) -> tensor<11x8xf32>
    %183 = stablehlo.transpose %182, dims = [1, 0] : (tensor<11x8xf32>) -> tensor<8x11xf32>
    %184 = stablehlo.dot_general %181, %arg16, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x11xf32>, tensor<8x11xf32>) -> tensor<2x5x8xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %185 = stablehlo.reduce(%184 init: %cst_39) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %186 = stablehlo.reshape %185 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %187 = stablehlo.reduce(%186 init: %cst_40) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %188 = stablehlo.multiply %163, %184 : tensor<2x5x8xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %189 = stablehlo.reduce(%188 init: %cst_41) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %190 = stablehlo.reshape %189 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %191 = stablehlo.broadcast_in_dim %164, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %192 = stablehlo.multiply %184, %191 : tensor<2x5x8xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %193 = stablehlo.reduce(%190 init: %cst_42) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %194 = stablehlo.multiply %155, %192 : tensor<2x5x8xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %195 = stablehlo.reduce(%194 init: %cst_43) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %196 = stablehlo.reshape %195 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %197 = stablehlo.broadcast_in_dim %158, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %198 = stablehlo.multiply %192, %197 : tensor<2x5x8xf32>
    %199 = stablehlo.multiply %196, %161 : tensor<2x5x1xf32>
    %200 = stablehlo.negate %198 : tensor<2x5x8xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %201 = stablehlo.reduce(%200 init: %cst_44) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %202 = stablehlo.reshape %201 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_45 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %204 = stablehlo.divide %199, %203 : tensor<2x5x1xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %205 = stablehlo.reduce(%204 init: %cst_46) applies stablehlo.add across dimensions = [2] : (tensor<2x5x1xf32>, tensor<f32>) -> tensor<2x5xf32>
    %206 = stablehlo.broadcast_in_dim %205, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x8xf32>
    %207 = stablehlo.multiply %206, %149 : tensor<2x5x8xf32>
    %208 = stablehlo.negate %207 : tensor<2x5x8xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %209 = stablehlo.reduce(%208 init: %cst_47) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %210 = stablehlo.reshape %209 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %211 = stablehlo.add %198, %207 : tensor<2x5x8xf32>
    %212 = stablehlo.add %202, %210 : tensor<2x5x1xf32>
    %cst_48 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %214 = stablehlo.divide %212, %213 : tensor<2x5x1xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %215 = stablehlo.reduce(%214 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<2x5x1xf32>, tensor<f32>) -> tensor<2x5xf32>
    %216 = stablehlo.broadcast_in_dim %215, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x8xf32>
    %217 = stablehlo.add %211, %216 : tensor<2x5x8xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %218 = stablehlo.reduce(%217 init: %cst_50) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %219 = stablehlo.reshape %218 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %220 = stablehlo.reduce(%219 init: %cst_51) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %221 = stablehlo.dot_general %217, %135, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xf32>, tensor<2x5x32xf32>) -> tensor<8x32xf32>
    %222 = stablehlo.transpose %221, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %223 = stablehlo.dot_general %217, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xf32>, tensor<32x8xf32>) -> tensor<2x5x32xf32>
    %224 = stablehlo.multiply %114, %223 : tensor<2x5x32xf32>
    %225 = stablehlo.multiply %223, %134 : tensor<2x5x32xf32>
    %cst_52 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %227 = stablehlo.multiply %226, %224 : tensor<2x5x32xf32>
    %228 = stablehlo.multiply %227, %130 : tensor<2x5x32xf32>
    %cst_53 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %230 = stablehlo.multiply %229, %228 : tensor<2x5x32xf32>
    %231 = stablehlo.add %225, %230 : tensor<2x5x32xf32>
    %cst_54 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %233 = stablehlo.multiply %232, %230 : tensor<2x5x32xf32>
    %234 = stablehlo.multiply %233, %119 : tensor<2x5x32xf32>
    %235 = stablehlo.add %231, %234 : tensor<2x5x32xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %236 = stablehlo.reduce(%235 init: %cst_55) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x32xf32>, tensor<f32>) -> tensor<32xf32>
    %237 = stablehlo.reshape %236 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.reduce(%237 init: %cst_56) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %239 = stablehlo.dot_general %235, %110, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x32xf32>, tensor<2x5x8xf32>) -> tensor<32x8xf32>
    %240 = stablehlo.transpose %239, dims = [1, 0] : (tensor<32x8xf32>) -> tensor<8x32xf32>
    %241 = stablehlo.dot_general %235, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x32xf32>, tensor<8x32xf32>) -> tensor<2x5x8xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %242 = stablehlo.reduce(%241 init: %cst_57) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %243 = stablehlo.reshape %242 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %244 = stablehlo.reduce(%243 init: %cst_58) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %245 = stablehlo.multiply %104, %241 : tensor<2x5x8xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.reduce(%245 init: %cst_59) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %247 = stablehlo.reshape %246 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %248 = stablehlo.broadcast_in_dim %105, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %249 = stablehlo.multiply %241, %248 : tensor<2x5x8xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %250 = stablehlo.reduce(%247 init: %cst_60) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %251 = stablehlo.multiply %96, %249 : tensor<2x5x8xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %252 = stablehlo.reduce(%251 init: %cst_61) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %253 = stablehlo.reshape %252 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %254 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %255 = stablehlo.multiply %249, %254 : tensor<2x5x8xf32>
    %256 = stablehlo.multiply %253, %102 : tensor<2x5x1xf32>
    %257 = stablehlo.negate %255 : tensor<2x5x8xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %258 = stablehlo.reduce(%257 init: %cst_62) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %259 = stablehlo.reshape %258 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %260 = stablehlo.add %217, %255 : tensor<2x5x8xf32>
    %cst_63 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %262 = stablehlo.divide %256, %261 : tensor<2x5x1xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %263 = stablehlo.reduce(%262 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<2x5x1xf32>, tensor<f32>) -> tensor<2x5xf32>
    %264 = stablehlo.broadcast_in_dim %263, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x8xf32>
    %265 = stablehlo.multiply %264, %90 : tensor<2x5x8xf32>
    %266 = stablehlo.negate %265 : tensor<2x5x8xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %267 = stablehlo.reduce(%266 init: %cst_65) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %268 = stablehlo.reshape %267 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %269 = stablehlo.add %260, %265 : tensor<2x5x8xf32>
    %270 = stablehlo.add %259, %268 : tensor<2x5x1xf32>
    %cst_66 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %271 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %272 = stablehlo.divide %270, %271 : tensor<2x5x1xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %273 = stablehlo.reduce(%272 init: %cst_67) applies stablehlo.add across dimensions = [2] : (tensor<2x5x1xf32>, tensor<f32>) -> tensor<2x5xf32>
    %274 = stablehlo.broadcast_in_dim %273, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x8xf32>
    %275 = stablehlo.add %269, %274 : tensor<2x5x8xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %276 = stablehlo.reduce(%275 init: %cst_68) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %277 = stablehlo.reshape %276 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %278 = stablehlo.reduce(%277 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %279 = stablehlo.dot_general %275, %76, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<8x8xf32>
    %280 = stablehlo.transpose %279, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %281 = stablehlo.dot_general %275, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
    %282 = stablehlo.reshape %281 : (tensor<2x5x8xf32>) -> tensor<2x5x2x4xf32>
    %283 = stablehlo.transpose %282, dims = [0, 2, 1, 3] : (tensor<2x5x2x4xf32>) -> tensor<2x2x5x4xf32>
    %284 = stablehlo.dot_general %283, %70, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x5x4xf32>, tensor<2x2x5x5xf32>) -> tensor<2x2x4x5xf32>
    %285 = stablehlo.transpose %284, dims = [0, 1, 3, 2] : (tensor<2x2x4x5xf32>) -> tensor<2x2x5x4xf32>
    %286 = stablehlo.dot_general %283, %54, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x5xf32>
    %287 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xf32>) -> tensor<2x2x5x5xf32>
    %288 = stablehlo.multiply %286, %287 : tensor<2x2x5x5xf32>
    %289 = stablehlo.multiply %288, %66 : tensor<2x2x5x5xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %290 = stablehlo.reduce(%289 init: %cst_70) applies stablehlo.add across dimensions = [3] : (tensor<2x2x5x5xf32>, tensor<f32>) -> tensor<2x2x5xf32>
    %291 = stablehlo.reshape %290 : (tensor<2x2x5xf32>) -> tensor<2x2x5x1xf32>
    %292 = stablehlo.negate %291 : tensor<2x2x5x1xf32>
    %293 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xf32>) -> tensor<2x2x5x5xf32>
    %294 = stablehlo.divide %286, %293 : tensor<2x2x5x5xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %295 = stablehlo.reduce(%292 init: %cst_71) applies stablehlo.add across dimensions = [3] : (tensor<2x2x5x1xf32>, tensor<f32>) -> tensor<2x2x5xf32>
    %296 = stablehlo.broadcast_in_dim %295, dims = [0, 1, 2] : (tensor<2x2x5xf32>) -> tensor<2x2x5x5xf32>
    %297 = stablehlo.add %294, %296 : tensor<2x2x5x5xf32>
    %298 = stablehlo.multiply %297, %66 : tensor<2x2x5x5xf32>
    %299 = call @_where_2(%59#1, %298) : (tensor<2x2x5x5xi1>, tensor<2x2x5x5xf32>) -> tensor<2x2x5x5xf32>
    %cst_72 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %300 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<2x2x5x5xf32>
    %301 = stablehlo.multiply %299, %300 : tensor<2x2x5x5xf32>
    %302 = stablehlo.dot_general %301, %48, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x5x5xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x4xf32>
    %303 = stablehlo.transpose %302, dims = [0, 1, 3, 2] : (tensor<2x2x5x4xf32>) -> tensor<2x2x4x5xf32>
    %304 = stablehlo.dot_general %301, %55, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x5x5xf32>, tensor<2x2x4x5xf32>) -> tensor<2x2x5x4xf32>
    %305 = stablehlo.transpose %303, dims = [0, 1, 3, 2] : (tensor<2x2x4x5xf32>) -> tensor<2x2x5x4xf32>
    %306 = stablehlo.transpose %285, dims = [0, 2, 1, 3] : (tensor<2x2x5x4xf32>) -> tensor<2x5x2x4xf32>
    %307 = stablehlo.broadcast_in_dim %306, dims = [0, 1, 3, 4] : (tensor<2x5x2x4xf32>) -> tensor<2x5x1x2x4xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %308 = stablehlo.pad %307, %cst_73, low = [0, 0, 2, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<2x5x1x2x4xf32>, tensor<f32>) -> tensor<2x5x3x2x4xf32>
    %309 = stablehlo.transpose %305, dims = [0, 2, 1, 3] : (tensor<2x2x5x4xf32>) -> tensor<2x5x2x4xf32>
    %310 = stablehlo.broadcast_in_dim %309, dims = [0, 1, 3, 4] : (tensor<2x5x2x4xf32>) -> tensor<2x5x1x2x4xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %311 = stablehlo.pad %310, %cst_74, low = [0, 0, 1, 0, 0], high = [0, 0, 1, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<2x5x1x2x4xf32>, tensor<f32>) -> tensor<2x5x3x2x4xf32>
    %312 = stablehlo.add %308, %311 : tensor<2x5x3x2x4xf32>
    %313 = stablehlo.transpose %304, dims = [0, 2, 1, 3] : (tensor<2x2x5x4xf32>) -> tensor<2x5x2x4xf32>
    %314 = stablehlo.broadcast_in_dim %313, dims = [0, 1, 3, 4] : (tensor<2x5x2x4xf32>) -> tensor<2x5x1x2x4xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %315 = stablehlo.pad %314, %cst_75, low = [0, 0, 0, 0, 0], high = [0, 0, 2, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<2x5x1x2x4xf32>, tensor<f32>) -> tensor<2x5x3x2x4xf32>
    %316 = stablehlo.add %312, %315 : tensor<2x5x3x2x4xf32>
    %317 = stablehlo.reshape %316 : (tensor<2x5x3x2x4xf32>) -> tensor<2x5x24xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %318 = stablehlo.reduce(%317 init: %cst_76) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x24xf32>, tensor<f32>) -> tensor<24xf32>
    %319 = stablehlo.reshape %318 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %320 = stablehlo.reduce(%319 init: %cst_77) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %321 = stablehlo.dot_general %317, %40, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x24xf32>, tensor<2x5x8xf32>) -> tensor<24x8xf32>
    %322 = stablehlo.transpose %321, dims = [1, 0] : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %323 = stablehlo.dot_general %317, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x24xf32>, tensor<8x24xf32>) -> tensor<2x5x8xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %324 = stablehlo.reduce(%323 init: %cst_78) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %325 = stablehlo.reshape %324 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %326 = stablehlo.reduce(%325 init: %cst_79) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %327 = stablehlo.multiply %34, %323 : tensor<2x5x8xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %328 = stablehlo.reduce(%327 init: %cst_80) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %329 = stablehlo.reshape %328 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %330 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %331 = stablehlo.multiply %323, %330 : tensor<2x5x8xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %332 = stablehlo.reduce(%329 init: %cst_81) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %333 = stablehlo.multiply %26, %331 : tensor<2x5x8xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %334 = stablehlo.reduce(%333 init: %cst_82) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %335 = stablehlo.reshape %334 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %336 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %337 = stablehlo.multiply %331, %336 : tensor<2x5x8xf32>
    %338 = stablehlo.multiply %335, %32 : tensor<2x5x1xf32>
    %339 = stablehlo.negate %337 : tensor<2x5x8xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %340 = stablehlo.reduce(%339 init: %cst_83) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %341 = stablehlo.reshape %340 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %342 = stablehlo.add %275, %337 : tensor<2x5x8xf32>
    %cst_84 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %343 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %344 = stablehlo.divide %338, %343 : tensor<2x5x1xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %345 = stablehlo.reduce(%344 init: %cst_85) applies stablehlo.add across dimensions = [2] : (tensor<2x5x1xf32>, tensor<f32>) -> tensor<2x5xf32>
    %346 = stablehlo.broadcast_in_dim %345, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x8xf32>
    %347 = stablehlo.multiply %346, %20 : tensor<2x5x8xf32>
    %348 = stablehlo.negate %347 : tensor<2x5x8xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %349 = stablehlo.reduce(%348 init: %cst_86) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %350 = stablehlo.reshape %349 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %351 = stablehlo.add %342, %347 : tensor<2x5x8xf32>
    %352 = stablehlo.add %341, %350 : tensor<2x5x1xf32>
    %cst_87 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %353 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %354 = stablehlo.divide %352, %353 : tensor<2x5x1xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %355 = stablehlo.reduce(%354 init: %cst_88) applies stablehlo.add across dimensions = [2] : (tensor<2x5x1xf32>, tensor<f32>) -> tensor<2x5xf32>
    %356 = stablehlo.broadcast_in_dim %355, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x8xf32>
    %357 = stablehlo.add %351, %356 : tensor<2x5x8xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %358 = stablehlo.reduce(%357 init: %cst_89) applies stablehlo.add across dimensions = [0] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<5x8xf32>
    %359 = stablehlo.reshape %358 : (tensor<5x8xf32>) -> tensor<1x5x8xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %360 = stablehlo.reduce(%359 init: %cst_90) applies stablehlo.add across dimensions = [0] : (tensor<1x5x8xf32>, tensor<f32>) -> tensor<5x8xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %361 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %362 = "stablehlo.scatter"(%361, %5, %357) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg54: tensor<f32>, %arg55: tensor<f32>):
      %793 = stablehlo.add %arg54, %arg55 : tensor<f32>
      stablehlo.return %793 : tensor<f32>
    }) : (tensor<11x8xf32>, tensor<2x5x1xi32>, tensor<2x5x8xf32>) -> tensor<11x8xf32>
    %cst_92 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %363 = stablehlo.add %arg51, %cst_92 : tensor<f32>
    %cst_93 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %364 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %365 = stablehlo.multiply %364, %arg17 : tensor<11x8xf32>
    %cst_94 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %366 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %367 = stablehlo.multiply %366, %362 : tensor<11x8xf32>
    %368 = stablehlo.add %365, %367 : tensor<11x8xf32>
    %cst_95 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %369 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %370 = stablehlo.multiply %369, %arg18 : tensor<5x8xf32>
    %cst_96 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %371 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %372 = stablehlo.multiply %371, %360 : tensor<5x8xf32>
    %373 = stablehlo.add %370, %372 : tensor<5x8xf32>
    %cst_97 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %374 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %375 = stablehlo.multiply %374, %arg19 : tensor<8xf32>
    %cst_98 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %376 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %377 = stablehlo.multiply %376, %332 : tensor<8xf32>
    %378 = stablehlo.add %375, %377 : tensor<8xf32>
    %cst_99 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %379 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %380 = stablehlo.multiply %379, %arg20 : tensor<8xf32>
    %cst_100 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %381 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %382 = stablehlo.multiply %381, %326 : tensor<8xf32>
    %383 = stablehlo.add %380, %382 : tensor<8xf32>
    %cst_101 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %384 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %385 = stablehlo.multiply %384, %arg21 : tensor<8x24xf32>
    %cst_102 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %386 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %387 = stablehlo.multiply %386, %322 : tensor<8x24xf32>
    %388 = stablehlo.add %385, %387 : tensor<8x24xf32>
    %cst_103 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %389 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %390 = stablehlo.multiply %389, %arg22 : tensor<24xf32>
    %cst_104 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %391 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %392 = stablehlo.multiply %391, %320 : tensor<24xf32>
    %393 = stablehlo.add %390, %392 : tensor<24xf32>
    %cst_105 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %394 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %395 = stablehlo.multiply %394, %arg23 : tensor<8x8xf32>
    %cst_106 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %396 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %397 = stablehlo.multiply %396, %280 : tensor<8x8xf32>
    %398 = stablehlo.add %395, %397 : tensor<8x8xf32>
    %cst_107 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %399 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %400 = stablehlo.multiply %399, %arg24 : tensor<8xf32>
    %cst_108 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %401 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %402 = stablehlo.multiply %401, %278 : tensor<8xf32>
    %403 = stablehlo.add %400, %402 : tensor<8xf32>
    %cst_109 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %404 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %405 = stablehlo.multiply %404, %arg25 : tensor<8xf32>
    %cst_110 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %406 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %407 = stablehlo.multiply %406, %250 : tensor<8xf32>
    %408 = stablehlo.add %405, %407 : tensor<8xf32>
    %cst_111 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %409 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %410 = stablehlo.multiply %409, %arg26 : tensor<8xf32>
    %cst_112 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %411 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %412 = stablehlo.multiply %411, %244 : tensor<8xf32>
    %413 = stablehlo.add %410, %412 : tensor<8xf32>
    %cst_113 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %414 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %415 = stablehlo.multiply %414, %arg27 : tensor<8x32xf32>
    %cst_114 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %416 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %417 = stablehlo.multiply %416, %240 : tensor<8x32xf32>
    %418 = stablehlo.add %415, %417 : tensor<8x32xf32>
    %cst_115 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %419 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %420 = stablehlo.multiply %419, %arg28 : tensor<32xf32>
    %cst_116 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %421 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %422 = stablehlo.multiply %421, %238 : tensor<32xf32>
    %423 = stablehlo.add %420, %422 : tensor<32xf32>
    %cst_117 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %424 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %425 = stablehlo.multiply %424, %arg29 : tensor<32x8xf32>
    %cst_118 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %426 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %427 = stablehlo.multiply %426, %222 : tensor<32x8xf32>
    %428 = stablehlo.add %425, %427 : tensor<32x8xf32>
    %cst_119 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %429 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %430 = stablehlo.multiply %429, %arg30 : tensor<8xf32>
    %cst_120 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %431 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %432 = stablehlo.multiply %431, %220 : tensor<8xf32>
    %433 = stablehlo.add %430, %432 : tensor<8xf32>
    %cst_121 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %434 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %435 = stablehlo.multiply %434, %arg31 : tensor<8xf32>
    %cst_122 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %436 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %437 = stablehlo.multiply %436, %193 : tensor<8xf32>
    %438 = stablehlo.add %435, %437 : tensor<8xf32>
    %cst_123 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %439 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %440 = stablehlo.multiply %439, %arg32 : tensor<8xf32>
    %cst_124 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %441 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %442 = stablehlo.multiply %441, %187 : tensor<8xf32>
    %443 = stablehlo.add %440, %442 : tensor<8xf32>
    %cst_125 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %444 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<8x11xf32>
    %445 = stablehlo.multiply %444, %arg33 : tensor<8x11xf32>
    %cst_126 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %446 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<8x11xf32>
    %447 = stablehlo.multiply %446, %183 : tensor<8x11xf32>
    %448 = stablehlo.add %445, %447 : tensor<8x11xf32>
    %cst_127 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %449 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %450 = stablehlo.multiply %449, %arg34 : tensor<11x8xf32>
    %cst_128 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %451 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %452 = stablehlo.multiply %451, %362 : tensor<11x8xf32>
    %453 = stablehlo.multiply %452, %362 : tensor<11x8xf32>
    %454 = stablehlo.add %450, %453 : tensor<11x8xf32>
    %cst_129 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %455 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %456 = stablehlo.multiply %455, %arg35 : tensor<5x8xf32>
    %cst_130 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %457 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %458 = stablehlo.multiply %457, %360 : tensor<5x8xf32>
    %459 = stablehlo.multiply %458, %360 : tensor<5x8xf32>
    %460 = stablehlo.add %456, %459 : tensor<5x8xf32>
    %cst_131 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %461 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %462 = stablehlo.multiply %461, %arg36 : tensor<8xf32>
    %cst_132 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %463 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %464 = stablehlo.multiply %463, %332 : tensor<8xf32>
    %465 = stablehlo.multiply %464, %332 : tensor<8xf32>
    %466 = stablehlo.add %462, %465 : tensor<8xf32>
    %cst_133 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %467 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %468 = stablehlo.multiply %467, %arg37 : tensor<8xf32>
    %cst_134 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %469 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %470 = stablehlo.multiply %469, %326 : tensor<8xf32>
    %471 = stablehlo.multiply %470, %326 : tensor<8xf32>
    %472 = stablehlo.add %468, %471 : tensor<8xf32>
    %cst_135 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %473 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %474 = stablehlo.multiply %473, %arg38 : tensor<8x24xf32>
    %cst_136 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %475 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %476 = stablehlo.multiply %475, %322 : tensor<8x24xf32>
    %477 = stablehlo.multiply %476, %322 : tensor<8x24xf32>
    %478 = stablehlo.add %474, %477 : tensor<8x24xf32>
    %cst_137 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %479 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %480 = stablehlo.multiply %479, %arg39 : tensor<24xf32>
    %cst_138 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %481 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %482 = stablehlo.multiply %481, %320 : tensor<24xf32>
    %483 = stablehlo.multiply %482, %320 : tensor<24xf32>
    %484 = stablehlo.add %480, %483 : tensor<24xf32>
    %cst_139 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %485 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %486 = stablehlo.multiply %485, %arg40 : tensor<8x8xf32>
    %cst_140 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %487 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %488 = stablehlo.multiply %487, %280 : tensor<8x8xf32>
    %489 = stablehlo.multiply %488, %280 : tensor<8x8xf32>
    %490 = stablehlo.add %486, %489 : tensor<8x8xf32>
    %cst_141 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %491 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %492 = stablehlo.multiply %491, %arg41 : tensor<8xf32>
    %cst_142 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %493 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %494 = stablehlo.multiply %493, %278 : tensor<8xf32>
    %495 = stablehlo.multiply %494, %278 : tensor<8xf32>
    %496 = stablehlo.add %492, %495 : tensor<8xf32>
    %cst_143 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %497 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %498 = stablehlo.multiply %497, %arg42 : tensor<8xf32>
    %cst_144 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %499 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %500 = stablehlo.multiply %499, %250 : tensor<8xf32>
    %501 = stablehlo.multiply %500, %250 : tensor<8xf32>
    %502 = stablehlo.add %498, %501 : tensor<8xf32>
    %cst_145 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %503 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %504 = stablehlo.multiply %503, %arg43 : tensor<8xf32>
    %cst_146 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %505 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %506 = stablehlo.multiply %505, %244 : tensor<8xf32>
    %507 = stablehlo.multiply %506, %244 : tensor<8xf32>
    %508 = stablehlo.add %504, %507 : tensor<8xf32>
    %cst_147 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %509 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %510 = stablehlo.multiply %509, %arg44 : tensor<8x32xf32>
    %cst_148 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %511 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %512 = stablehlo.multiply %511, %240 : tensor<8x32xf32>
    %513 = stablehlo.multiply %512, %240 : tensor<8x32xf32>
    %514 = stablehlo.add %510, %513 : tensor<8x32xf32>
    %cst_149 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %515 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %516 = stablehlo.multiply %515, %arg45 : tensor<32xf32>
    %cst_150 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %517 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %518 = stablehlo.multiply %517, %238 : tensor<32xf32>
    %519 = stablehlo.multiply %518, %238 : tensor<32xf32>
    %520 = stablehlo.add %516, %519 : tensor<32xf32>
    %cst_151 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %521 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %522 = stablehlo.multiply %521, %arg46 : tensor<32x8xf32>
    %cst_152 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %523 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %524 = stablehlo.multiply %523, %222 : tensor<32x8xf32>
    %525 = stablehlo.multiply %524, %222 : tensor<32x8xf32>
    %526 = stablehlo.add %522, %525 : tensor<32x8xf32>
    %cst_153 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %528 = stablehlo.multiply %527, %arg47 : tensor<8xf32>
    %cst_154 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %529 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %530 = stablehlo.multiply %529, %220 : tensor<8xf32>
    %531 = stablehlo.multiply %530, %220 : tensor<8xf32>
    %532 = stablehlo.add %528, %531 : tensor<8xf32>
    %cst_155 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %533 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %534 = stablehlo.multiply %533, %arg48 : tensor<8xf32>
    %cst_156 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %535 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %536 = stablehlo.multiply %535, %193 : tensor<8xf32>
    %537 = stablehlo.multiply %536, %193 : tensor<8xf32>
    %538 = stablehlo.add %534, %537 : tensor<8xf32>
    %cst_157 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %539 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %540 = stablehlo.multiply %539, %arg49 : tensor<8xf32>
    %cst_158 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %541 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %542 = stablehlo.multiply %541, %187 : tensor<8xf32>
    %543 = stablehlo.multiply %542, %187 : tensor<8xf32>
    %544 = stablehlo.add %540, %543 : tensor<8xf32>
    %cst_159 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %545 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<8x11xf32>
    %546 = stablehlo.multiply %545, %arg50 : tensor<8x11xf32>
    %cst_160 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %547 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<8x11xf32>
    %548 = stablehlo.multiply %547, %183 : tensor<8x11xf32>
    %549 = stablehlo.multiply %548, %183 : tensor<8x11xf32>
    %550 = stablehlo.add %546, %549 : tensor<8x11xf32>
    %cst_161 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %551 = stablehlo.power %cst_161, %363 : tensor<f32>
    %cst_162 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %552 = stablehlo.subtract %cst_162, %551 : tensor<f32>
    %cst_163 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %553 = stablehlo.power %cst_163, %363 : tensor<f32>
    %cst_164 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %554 = stablehlo.subtract %cst_164, %553 : tensor<f32>
    %555 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %556 = stablehlo.divide %368, %555 : tensor<11x8xf32>
    %557 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %558 = stablehlo.divide %454, %557 : tensor<11x8xf32>
    %559 = stablehlo.sqrt %558 : tensor<11x8xf32>
    %cst_165 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %560 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %561 = stablehlo.add %559, %560 : tensor<11x8xf32>
    %562 = stablehlo.divide %556, %561 : tensor<11x8xf32>
    %cst_166 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %563 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %564 = stablehlo.multiply %563, %arg0 : tensor<11x8xf32>
    %565 = stablehlo.add %562, %564 : tensor<11x8xf32>
    %cst_167 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %566 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %567 = stablehlo.multiply %566, %565 : tensor<11x8xf32>
    %568 = stablehlo.subtract %arg0, %567 : tensor<11x8xf32>
    %569 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %570 = stablehlo.divide %373, %569 : tensor<5x8xf32>
    %571 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %572 = stablehlo.divide %460, %571 : tensor<5x8xf32>
    %573 = stablehlo.sqrt %572 : tensor<5x8xf32>
    %cst_168 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %575 = stablehlo.add %573, %574 : tensor<5x8xf32>
    %576 = stablehlo.divide %570, %575 : tensor<5x8xf32>
    %cst_169 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %577 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %578 = stablehlo.multiply %577, %arg1 : tensor<5x8xf32>
    %579 = stablehlo.add %576, %578 : tensor<5x8xf32>
    %cst_170 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %580 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %581 = stablehlo.multiply %580, %579 : tensor<5x8xf32>
    %582 = stablehlo.subtract %arg1, %581 : tensor<5x8xf32>
    %583 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %584 = stablehlo.divide %378, %583 : tensor<8xf32>
    %585 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %586 = stablehlo.divide %466, %585 : tensor<8xf32>
    %587 = stablehlo.sqrt %586 : tensor<8xf32>
    %cst_171 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %588 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %589 = stablehlo.add %587, %588 : tensor<8xf32>
    %590 = stablehlo.divide %584, %589 : tensor<8xf32>
    %cst_172 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %591 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %592 = stablehlo.multiply %591, %arg2 : tensor<8xf32>
    %593 = stablehlo.add %590, %592 : tensor<8xf32>
    %cst_173 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %594 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %595 = stablehlo.multiply %594, %593 : tensor<8xf32>
    %596 = stablehlo.subtract %arg2, %595 : tensor<8xf32>
    %597 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %598 = stablehlo.divide %383, %597 : tensor<8xf32>
    %599 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %600 = stablehlo.divide %472, %599 : tensor<8xf32>
    %601 = stablehlo.sqrt %600 : tensor<8xf32>
    %cst_174 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %602 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %603 = stablehlo.add %601, %602 : tensor<8xf32>
    %604 = stablehlo.divide %598, %603 : tensor<8xf32>
    %cst_175 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %605 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %606 = stablehlo.multiply %605, %arg3 : tensor<8xf32>
    %607 = stablehlo.add %604, %606 : tensor<8xf32>
    %cst_176 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %608 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %609 = stablehlo.multiply %608, %607 : tensor<8xf32>
    %610 = stablehlo.subtract %arg3, %609 : tensor<8xf32>
    %611 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %612 = stablehlo.divide %388, %611 : tensor<8x24xf32>
    %613 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %614 = stablehlo.divide %478, %613 : tensor<8x24xf32>
    %615 = stablehlo.sqrt %614 : tensor<8x24xf32>
    %cst_177 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %616 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %617 = stablehlo.add %615, %616 : tensor<8x24xf32>
    %618 = stablehlo.divide %612, %617 : tensor<8x24xf32>
    %cst_178 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %619 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %620 = stablehlo.multiply %619, %arg4 : tensor<8x24xf32>
    %621 = stablehlo.add %618, %620 : tensor<8x24xf32>
    %cst_179 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %622 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %623 = stablehlo.multiply %622, %621 : tensor<8x24xf32>
    %624 = stablehlo.subtract %arg4, %623 : tensor<8x24xf32>
    %625 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %626 = stablehlo.divide %393, %625 : tensor<24xf32>
    %627 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %628 = stablehlo.divide %484, %627 : tensor<24xf32>
    %629 = stablehlo.sqrt %628 : tensor<24xf32>
    %cst_180 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %630 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %631 = stablehlo.add %629, %630 : tensor<24xf32>
    %632 = stablehlo.divide %626, %631 : tensor<24xf32>
    %cst_181 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %633 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %634 = stablehlo.multiply %633, %arg5 : tensor<24xf32>
    %635 = stablehlo.add %632, %634 : tensor<24xf32>
    %cst_182 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %636 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %637 = stablehlo.multiply %636, %635 : tensor<24xf32>
    %638 = stablehlo.subtract %arg5, %637 : tensor<24xf32>
    %639 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %640 = stablehlo.divide %398, %639 : tensor<8x8xf32>
    %641 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %642 = stablehlo.divide %490, %641 : tensor<8x8xf32>
    %643 = stablehlo.sqrt %642 : tensor<8x8xf32>
    %cst_183 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %644 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %645 = stablehlo.add %643, %644 : tensor<8x8xf32>
    %646 = stablehlo.divide %640, %645 : tensor<8x8xf32>
    %cst_184 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %647 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %648 = stablehlo.multiply %647, %arg6 : tensor<8x8xf32>
    %649 = stablehlo.add %646, %648 : tensor<8x8xf32>
    %cst_185 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %650 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %651 = stablehlo.multiply %650, %649 : tensor<8x8xf32>
    %652 = stablehlo.subtract %arg6, %651 : tensor<8x8xf32>
    %653 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %654 = stablehlo.divide %403, %653 : tensor<8xf32>
    %655 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %656 = stablehlo.divide %496, %655 : tensor<8xf32>
    %657 = stablehlo.sqrt %656 : tensor<8xf32>
    %cst_186 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %658 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %659 = stablehlo.add %657, %658 : tensor<8xf32>
    %660 = stablehlo.divide %654, %659 : tensor<8xf32>
    %cst_187 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %661 = stablehlo.broadcast_in_dim %cst_187, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %662 = stablehlo.multiply %661, %arg7 : tensor<8xf32>
    %663 = stablehlo.add %660, %662 : tensor<8xf32>
    %cst_188 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %664 = stablehlo.broadcast_in_dim %cst_188, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %665 = stablehlo.multiply %664, %663 : tensor<8xf32>
    %666 = stablehlo.subtract %arg7, %665 : tensor<8xf32>
    %667 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %668 = stablehlo.divide %408, %667 : tensor<8xf32>
    %669 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %670 = stablehlo.divide %502, %669 : tensor<8xf32>
    %671 = stablehlo.sqrt %670 : tensor<8xf32>
    %cst_189 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %672 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %673 = stablehlo.add %671, %672 : tensor<8xf32>
    %674 = stablehlo.divide %668, %673 : tensor<8xf32>
    %cst_190 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %675 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %676 = stablehlo.multiply %675, %arg8 : tensor<8xf32>
    %677 = stablehlo.add %674, %676 : tensor<8xf32>
    %cst_191 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %678 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %679 = stablehlo.multiply %678, %677 : tensor<8xf32>
    %680 = stablehlo.subtract %arg8, %679 : tensor<8xf32>
    %681 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %682 = stablehlo.divide %413, %681 : tensor<8xf32>
    %683 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %684 = stablehlo.divide %508, %683 : tensor<8xf32>
    %685 = stablehlo.sqrt %684 : tensor<8xf32>
    %cst_192 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %686 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %687 = stablehlo.add %685, %686 : tensor<8xf32>
    %688 = stablehlo.divide %682, %687 : tensor<8xf32>
    %cst_193 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %689 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %690 = stablehlo.multiply %689, %arg9 : tensor<8xf32>
    %691 = stablehlo.add %688, %690 : tensor<8xf32>
    %cst_194 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %692 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %693 = stablehlo.multiply %692, %691 : tensor<8xf32>
    %694 = stablehlo.subtract %arg9, %693 : tensor<8xf32>
    %695 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %696 = stablehlo.divide %418, %695 : tensor<8x32xf32>
    %697 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %698 = stablehlo.divide %514, %697 : tensor<8x32xf32>
    %699 = stablehlo.sqrt %698 : tensor<8x32xf32>
    %cst_195 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %700 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %701 = stablehlo.add %699, %700 : tensor<8x32xf32>
    %702 = stablehlo.divide %696, %701 : tensor<8x32xf32>
    %cst_196 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %703 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %704 = stablehlo.multiply %703, %arg10 : tensor<8x32xf32>
    %705 = stablehlo.add %702, %704 : tensor<8x32xf32>
    %cst_197 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %706 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %707 = stablehlo.multiply %706, %705 : tensor<8x32xf32>
    %708 = stablehlo.subtract %arg10, %707 : tensor<8x32xf32>
    %709 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %710 = stablehlo.divide %423, %709 : tensor<32xf32>
    %711 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %712 = stablehlo.divide %520, %711 : tensor<32xf32>
    %713 = stablehlo.sqrt %712 : tensor<32xf32>
    %cst_198 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %714 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %715 = stablehlo.add %713, %714 : tensor<32xf32>
    %716 = stablehlo.divide %710, %715 : tensor<32xf32>
    %cst_199 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %717 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %718 = stablehlo.multiply %717, %arg11 : tensor<32xf32>
    %719 = stablehlo.add %716, %718 : tensor<32xf32>
    %cst_200 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %720 = stablehlo.broadcast_in_dim %cst_200, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %721 = stablehlo.multiply %720, %719 : tensor<32xf32>
    %722 = stablehlo.subtract %arg11, %721 : tensor<32xf32>
    %723 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %724 = stablehlo.divide %428, %723 : tensor<32x8xf32>
    %725 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %726 = stablehlo.divide %526, %725 : tensor<32x8xf32>
    %727 = stablehlo.sqrt %726 : tensor<32x8xf32>
    %cst_201 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %728 = stablehlo.broadcast_in_dim %cst_201, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %729 = stablehlo.add %727, %728 : tensor<32x8xf32>
    %730 = stablehlo.divide %724, %729 : tensor<32x8xf32>
    %cst_202 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %731 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %732 = stablehlo.multiply %731, %arg12 : tensor<32x8xf32>
    %733 = stablehlo.add %730, %732 : tensor<32x8xf32>
    %cst_203 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %734 = stablehlo.broadcast_in_dim %cst_203, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %735 = stablehlo.multiply %734, %733 : tensor<32x8xf32>
    %736 = stablehlo.subtract %arg12, %735 : tensor<32x8xf32>
    %737 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %738 = stablehlo.divide %433, %737 : tensor<8xf32>
    %739 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %740 = stablehlo.divide %532, %739 : tensor<8xf32>
    %741 = stablehlo.sqrt %740 : tensor<8xf32>
    %cst_204 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %742 = stablehlo.broadcast_in_dim %cst_204, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %743 = stablehlo.add %741, %742 : tensor<8xf32>
    %744 = stablehlo.divide %738, %743 : tensor<8xf32>
    %cst_205 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %745 = stablehlo.broadcast_in_dim %cst_205, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %746 = stablehlo.multiply %745, %arg13 : tensor<8xf32>
    %747 = stablehlo.add %744, %746 : tensor<8xf32>
    %cst_206 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %748 = stablehlo.broadcast_in_dim %cst_206, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %749 = stablehlo.multiply %748, %747 : tensor<8xf32>
    %750 = stablehlo.subtract %arg13, %749 : tensor<8xf32>
    %751 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %752 = stablehlo.divide %438, %751 : tensor<8xf32>
    %753 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %754 = stablehlo.divide %538, %753 : tensor<8xf32>
    %755 = stablehlo.sqrt %754 : tensor<8xf32>
    %cst_207 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %756 = stablehlo.broadcast_in_dim %cst_207, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %757 = stablehlo.add %755, %756 : tensor<8xf32>
    %758 = stablehlo.divide %752, %757 : tensor<8xf32>
    %cst_208 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %759 = stablehlo.broadcast_in_dim %cst_208, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %760 = stablehlo.multiply %759, %arg14 : tensor<8xf32>
    %761 = stablehlo.add %758, %760 : tensor<8xf32>
    %cst_209 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %762 = stablehlo.broadcast_in_dim %cst_209, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %763 = stablehlo.multiply %762, %761 : tensor<8xf32>
    %764 = stablehlo.subtract %arg14, %763 : tensor<8xf32>
    %765 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %766 = stablehlo.divide %443, %765 : tensor<8xf32>
    %767 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %768 = stablehlo.divide %544, %767 : tensor<8xf32>
    %769 = stablehlo.sqrt %768 : tensor<8xf32>
    %cst_210 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %770 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %771 = stablehlo.add %769, %770 : tensor<8xf32>
    %772 = stablehlo.divide %766, %771 : tensor<8xf32>
    %cst_211 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %773 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %774 = stablehlo.multiply %773, %arg15 : tensor<8xf32>
    %775 = stablehlo.add %772, %774 : tensor<8xf32>
    %cst_212 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %776 = stablehlo.broadcast_in_dim %cst_212, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %777 = stablehlo.multiply %776, %775 : tensor<8xf32>
    %778 = stablehlo.subtract %arg15, %777 : tensor<8xf32>
    %779 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<8x11xf32>
    %780 = stablehlo.divide %448, %779 : tensor<8x11xf32>
    %781 = stablehlo.broadcast_in_dim %554, dims = [] : (tensor<f32>) -> tensor<8x11xf32>
    %782 = stablehlo.divide %550, %781 : tensor<8x11xf32>
    %783 = stablehlo.sqrt %782 : tensor<8x11xf32>
    %cst_213 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %784 = stablehlo.broadcast_in_dim %cst_213, dims = [] : (tensor<f32>) -> tensor<8x11xf32>
    %785 = stablehlo.add %783, %784 : tensor<8x11xf32>
    %786 = stablehlo.divide %780, %785 : tensor<8x11xf32>
    %cst_214 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %787 = stablehlo.broadcast_in_dim %cst_214, dims = [] : (tensor<f32>) -> tensor<8x11xf32>
    %788 = stablehlo.multiply %787, %arg16 : tensor<8x11xf32>
    %789 = stablehlo.add %786, %788 : tensor<8x11xf32>
    %cst_215 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %790 = stablehlo.broadcast_in_dim %cst_215, dims = [] : (tensor<f32>) -> tensor<8x11xf32>
    %791 = stablehlo.multiply %790, %789 : tensor<8x11xf32>
    %792 = stablehlo.subtract %arg16, %791 : tensor<8x11xf32>
    return %176, %568, %582, %596, %610, %624, %638, %652, %666, %680, %694, %708, %722, %736, %750, %764, %778, %792, %368, %373, %378, %383, %388, %393, %398, %403, %408, %413, %418, %423, %428, %433, %438, %443, %448, %454, %460, %466, %472, %478, %484, %490, %496, %502, %508, %514, %520, %526, %532, %538, %544, %550, %363 : tensor<f32>, tensor<11x8xf32>, tensor<5x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x24xf32>, tensor<24xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<32x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x11xf32>, tensor<11x8xf32>, tensor<5x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x24xf32>, tensor<24xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<32x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x11xf32>, tensor<11x8xf32>, tensor<5x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x24xf32>, tensor<24xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<32x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x11xf32>, tensor<f32>
  }
  func.func private @tril(%arg0: tensor<5x5xi1>) -> tensor<5x5xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<5x5xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x5xi32>
    %2 = stablehlo.add %0, %1 : tensor<5x5xi32>
    %3 = stablehlo.iota dim = 1 : tensor<5x5xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<5x5xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<5x5xi1>, tensor<5x5xi1>
    return %6 : tensor<5x5xi1>
  }
  func.func private @_where(%arg0: tensor<5x5xi1>, %arg1: tensor<2x2x5x5xf32>, %arg2: tensor<f32>) -> (tensor<2x2x5x5xf32>, tensor<2x2x5x5xi1>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<5x5xi1>) -> tensor<2x2x5x5xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x2x5x5xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<2x2x5x5xi1>, tensor<2x2x5x5xf32>
    return %2, %0 : tensor<2x2x5x5xf32>, tensor<2x2x5x5xi1>
  }
  func.func private @log_softmax(%arg0: tensor<2x5x11xf32>) -> (tensor<2x5x11xf32>, tensor<2x5x11xf32>, tensor<2x5x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<2x5x11xf32>, tensor<f32>) -> tensor<2x5xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x5xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<2x5xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x11xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x5x11xf32>
    %6 = stablehlo.exponential %5 : tensor<2x5x11xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<2x5x11xf32>, tensor<f32>) -> tensor<2x5xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %9 = stablehlo.log %8 : tensor<2x5x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x11xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<2x5x11xf32>
    return %11, %6, %8 : tensor<2x5x11xf32>, tensor<2x5x11xf32>, tensor<2x5x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<2x5x11xf32>, %arg1: tensor<2x5x1xi32>) -> (tensor<2x5x1xf32>, tensor<2x5x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x5x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2x5x1xi32>, tensor<2x5x1xi32>) -> tensor<2x5x1xi1>
    %c_0 = stablehlo.constant dense<11> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x5x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2x5x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2x5x1xi1>, tensor<2x5x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<2x5x1xi32>) -> tensor<2x5x1x1xi32>
    %c_1 = stablehlo.constant dense<10> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x5x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<2x5x1x1xi32>, tensor<2x5x1x1xi32>) -> tensor<2x5x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<2x5x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<2x5x1x1xi32>, tensor<2x5x1x1xi32>) -> tensor<2x5x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<2x5x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<2x5x1x1xi1>, tensor<i1>) -> tensor<2x5x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x5x11xf32>, tensor<2x5x1x1xi32>) -> tensor<2x5x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<2x5x1xi1>, tensor<2x5x1xf32>
    return %15, %5 : tensor<2x5x1xf32>, tensor<2x5x1x1xi32>
  }
  func.func private @take_along_axis_0(%arg0: tensor<2x5x1x1xi32>, %arg1: tensor<2x5x1xf32>) -> tensor<2x5x11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x11xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x5x11xf32>, tensor<2x5x1x1xi32>, tensor<2x5x1xf32>) -> tensor<2x5x11xf32>
    return %1 : tensor<2x5x11xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<2x5x11xf32>, %arg1: tensor<2x5x1xf32>, %arg2: tensor<2x5x11xf32>) -> tensor<2x5x11xf32> {
    %0 = stablehlo.negate %arg2 : tensor<2x5x11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x5x11xf32>, tensor<f32>) -> tensor<2x5xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<2x5x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<2x5x1xf32>, tensor<f32>) -> tensor<2x5xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x11xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<2x5x11xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<2x5x11xf32>
    return %7 : tensor<2x5x11xf32>
  }
  func.func private @_where_2(%arg0: tensor<2x2x5x5xi1>, %arg1: tensor<2x2x5x5xf32>) -> tensor<2x2x5x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x5x5xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<2x2x5x5xi1>, tensor<2x2x5x5xf32>
    return %1 : tensor<2x2x5x5xf32>
  }
}
