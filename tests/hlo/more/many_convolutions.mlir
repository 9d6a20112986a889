module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x5x6xf32>, %arg1: tensor<6x2x2x3xf32>, %arg2: tensor<4x4x3x3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 2], pad = [[1, 2], [0, 3]], lhs_dilate = [2, 1], rhs_dilate = [1, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x5x6xf32>, tensor<6x2x2x3xf32>) -> tensor<2x6x11x3xf32>
    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[-1, 2], [1, -1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x5x6xf32>, tensor<6x2x2x3xf32>) -> tensor<2x6x5x4xf32>
    %2 = stablehlo.convolution(%arg0, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 3], pad = [[1, 1], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x5x6xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x2xf32>
    %3 = stablehlo.reverse %arg2, dims = [2] : tensor<4x4x3x3xf32>
    %4 = stablehlo.reverse %3, dims = [3] : tensor<4x4x3x3xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0, 2, 3] : (tensor<4x4x3x3xf32>) -> tensor<4x4x3x3xf32>
    %6 = stablehlo.convolution(%arg0, %5) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x5x6xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x10x12xf32>
    %7 = stablehlo.convolution(%arg0, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x5x6xf32>, tensor<4x4x3x3xf32>) -> tensor<2x3x4x4xf32>
    %8 = stablehlo.iota dim = 0 : tensor<396xf32>
    %9 = stablehlo.reshape %8 : (tensor<396xf32>) -> tensor<2x6x11x3xf32>
    %10 = stablehlo.cosine %9 : tensor<2x6x11x3xf32>
    %11 = stablehlo.multiply %0, %10 : tensor<2x6x11x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x6x11x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.add %cst_0, %12 : tensor<f32>
    %14 = stablehlo.iota dim = 0 : tensor<240xf32>
    %15 = stablehlo.reshape %14 : (tensor<240xf32>) -> tensor<2x6x5x4xf32>
    %16 = stablehlo.cosine %15 : tensor<2x6x5x4xf32>
    %17 = stablehlo.multiply %1, %16 : tensor<2x6x5x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x6x5x4xf32>, tensor<f32>) -> tensor<f32>
    %19 = stablehlo.add %13, %18 : tensor<f32>
    %20 = stablehlo.iota dim = 0 : tensor<24xf32>
    %21 = stablehlo.reshape %20 : (tensor<24xf32>) -> tensor<1x4x3x2xf32>
    %22 = stablehlo.cosine %21 : tensor<1x4x3x2xf32>
    %23 = stablehlo.multiply %2, %22 : tensor<1x4x3x2xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_2) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<1x4x3x2xf32>, tensor<f32>) -> tensor<f32>
    %25 = stablehlo.add %19, %24 : tensor<f32>
    %26 = stablehlo.iota dim = 0 : tensor<960xf32>
    %27 = stablehlo.reshape %26 : (tensor<960xf32>) -> tensor<2x4x10x12xf32>
    %28 = stablehlo.cosine %27 : tensor<2x4x10x12xf32>
    %29 = stablehlo.multiply %6, %28 : tensor<2x4x10x12xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x4x10x12xf32>, tensor<f32>) -> tensor<f32>
    %31 = stablehlo.add %25, %30 : tensor<f32>
    %32 = stablehlo.iota dim = 0 : tensor<96xf32>
    %33 = stablehlo.reshape %32 : (tensor<96xf32>) -> tensor<2x3x4x4xf32>
    %34 = stablehlo.cosine %33 : tensor<2x3x4x4xf32>
    %35 = stablehlo.multiply %7, %34 : tensor<2x3x4x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_4) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x4x4xf32>, tensor<f32>) -> tensor<f32>
    %37 = stablehlo.add %31, %36 : tensor<f32>
    return %37 : tensor<f32>
  }
}
