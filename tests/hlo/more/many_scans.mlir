module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x3xf32>, %arg1: tensor<3x3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_15 = %arg1, %iterArg_16 = %c, %iterArg_17 = %0, %iterArg_18 = %1) : tensor<7x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<3xf32>, tensor<7xf32>
    cond {
      %c_19 = stablehlo.constant dense<7> : tensor<i32>
      %53 = stablehlo.compare LT, %iterArg_16, %c_19, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %53 : tensor<i1>
    } do {
      %53 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_16) : (tensor<7x3xf32>, tensor<i32>) -> tensor<3xf32>
      %54 = stablehlo.dot_general %iterArg_15, %iterArg_17, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %55 = stablehlo.add %54, %53 : tensor<3xf32>
      %56 = stablehlo.tanh %55 : tensor<3xf32>
      %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %57 = stablehlo.reduce(%iterArg_17 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
      %58 = func.call @dynamic_update_index_in_dim(%iterArg_18, %57, %iterArg_16) : (tensor<7xf32>, tensor<f32>, tensor<i32>) -> tensor<7xf32>
      %c_20 = stablehlo.constant dense<1> : tensor<i32>
      %59 = stablehlo.add %iterArg_16, %c_20 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_15, %59, %56, %58 : tensor<7x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<3xf32>, tensor<7xf32>
    }
    %3 = stablehlo.slice %arg0 [0:1, 0:3] : (tensor<7x3xf32>) -> tensor<1x3xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x3xf32>) -> tensor<3xf32>
    %5 = stablehlo.slice %arg0 [0:1, 0:3] : (tensor<7x3xf32>) -> tensor<1x3xf32>
    %6 = stablehlo.slice %arg0 [1:7, 0:3] : (tensor<7x3xf32>) -> tensor<6x3xf32>
    %7 = stablehlo.reshape %6 : (tensor<6x3xf32>) -> tensor<3x2x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x2x3xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %9:4 = stablehlo.while(%iterArg = %7, %iterArg_15 = %c_2, %iterArg_16 = %4, %iterArg_17 = %8) : tensor<3x2x3xf32>, tensor<i32>, tensor<3xf32>, tensor<3x2x3xf32>
    cond {
      %c_18 = stablehlo.constant dense<3> : tensor<i32>
      %53 = stablehlo.compare LT, %iterArg_15, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %53 : tensor<i1>
    } do {
      %c_18 = stablehlo.constant dense<3> : tensor<i32>
      %53 = stablehlo.subtract %c_18, %iterArg_15 : tensor<i32>
      %c_19 = stablehlo.constant dense<1> : tensor<i32>
      %54 = stablehlo.subtract %53, %c_19 : tensor<i32>
      %55 = func.call @dynamic_index_in_dim_0(%iterArg, %54) : (tensor<3x2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
      %56 = stablehlo.slice %55 [1:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
      %57 = stablehlo.reshape %56 : (tensor<1x3xf32>) -> tensor<3xf32>
      %cst_20 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %58 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %59 = stablehlo.multiply %iterArg_16, %58 : tensor<3xf32>
      %60 = stablehlo.add %59, %57 : tensor<3xf32>
      %61 = stablehlo.slice %55 [0:1, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
      %62 = stablehlo.reshape %61 : (tensor<1x3xf32>) -> tensor<3xf32>
      %cst_21 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %63 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %64 = stablehlo.multiply %60, %63 : tensor<3xf32>
      %65 = stablehlo.add %64, %62 : tensor<3xf32>
      %66 = stablehlo.broadcast_in_dim %60, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
      %67 = stablehlo.broadcast_in_dim %iterArg_16, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
      %68 = stablehlo.concatenate %66, %67, dim = 0 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
      %69 = func.call @dynamic_update_index_in_dim_1(%iterArg_17, %68, %54) : (tensor<3x2x3xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<3x2x3xf32>
      %c_22 = stablehlo.constant dense<1> : tensor<i32>
      %70 = stablehlo.add %iterArg_15, %c_22 : tensor<i32>
      stablehlo.return %iterArg, %70, %65, %69 : tensor<3x2x3xf32>, tensor<i32>, tensor<3xf32>, tensor<3x2x3xf32>
    }
    %10 = stablehlo.reshape %9#3 : (tensor<3x2x3xf32>) -> tensor<6x3xf32>
    %11 = stablehlo.slice %5 [0:1, 0:3] : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x3xf32>) -> tensor<3xf32>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %14 = stablehlo.multiply %9#2, %13 : tensor<3xf32>
    %15 = stablehlo.add %14, %12 : tensor<3xf32>
    %16 = stablehlo.broadcast_in_dim %9#2, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %17 = stablehlo.concatenate %16, %10, dim = 0 : (tensor<1x3xf32>, tensor<6x3xf32>) -> tensor<7x3xf32>
    %18 = stablehlo.slice %arg0 [0:6:2, 0:3] : (tensor<7x3xf32>) -> tensor<3x3xf32>
    %19 = stablehlo.slice %arg0 [1:7:2, 0:3] : (tensor<7x3xf32>) -> tensor<3x3xf32>
    %20 = stablehlo.add %18, %19 : tensor<3x3xf32>
    %21 = stablehlo.slice %20 [0:2:2, 0:3] : (tensor<3x3xf32>) -> tensor<1x3xf32>
    %22 = stablehlo.slice %20 [1:3:2, 0:3] : (tensor<3x3xf32>) -> tensor<1x3xf32>
    %23 = stablehlo.add %21, %22 : tensor<1x3xf32>
    %24 = stablehlo.slice %20 [2:3:2, 0:3] : (tensor<3x3xf32>) -> tensor<1x3xf32>
    %25 = stablehlo.add %23, %24 : tensor<1x3xf32>
    %26 = stablehlo.slice %20 [0:1, 0:3] : (tensor<3x3xf32>) -> tensor<1x3xf32>
    %27 = stablehlo.concatenate %26, %25, dim = 0 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.pad %27, %cst_4, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.pad %23, %cst_5, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<3x3xf32>
    %30 = stablehlo.add %28, %29 : tensor<3x3xf32>
    %31 = stablehlo.slice %arg0 [2:7:2, 0:3] : (tensor<7x3xf32>) -> tensor<3x3xf32>
    %32 = stablehlo.add %30, %31 : tensor<3x3xf32>
    %33 = stablehlo.slice %arg0 [0:1, 0:3] : (tensor<7x3xf32>) -> tensor<1x3xf32>
    %34 = stablehlo.concatenate %33, %32, dim = 0 : (tensor<1x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.pad %34, %cst_6, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<7x3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.pad %30, %cst_7, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<7x3xf32>
    %37 = stablehlo.add %35, %36 : tensor<7x3xf32>
    %38 = call @cumprod(%arg0) : (tensor<7x3xf32>) -> tensor<7x3xf32>
    %39 = call @cummax(%arg0) : (tensor<7x3xf32>) -> tensor<7x3xf32>
    %40 = call @cumlogsumexp(%arg0) : (tensor<7x3xf32>) -> tensor<7x3xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%2#4 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.add %cst_9, %41 : tensor<f32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%17 init: %cst_10) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x3xf32>, tensor<f32>) -> tensor<f32>
    %44 = stablehlo.add %42, %43 : tensor<f32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%37 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x3xf32>, tensor<f32>) -> tensor<f32>
    %46 = stablehlo.add %44, %45 : tensor<f32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.reduce(%38 init: %cst_12) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x3xf32>, tensor<f32>) -> tensor<f32>
    %48 = stablehlo.add %46, %47 : tensor<f32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%39 init: %cst_13) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x3xf32>, tensor<f32>) -> tensor<f32>
    %50 = stablehlo.add %48, %49 : tensor<f32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%40 init: %cst_14) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x3xf32>, tensor<f32>) -> tensor<f32>
    %52 = stablehlo.add %50, %51 : tensor<f32>
    return %52 : tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<7x3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<7x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<7xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<7xf32>, tensor<1xf32>, tensor<i32>) -> tensor<7xf32>
    return %1 : tensor<7xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<3x2x3xf32>, %arg1: tensor<i32>) -> tensor<2x3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 3] : (tensor<3x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
  func.func private @dynamic_update_index_in_dim_1(%arg0: tensor<3x2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<i32>) -> tensor<3x2x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x2x3xf32>, tensor<1x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x3xf32>
    return %1 : tensor<3x2x3xf32>
  }
  func.func private @cumprod(%arg0: tensor<7x3xf32>) -> tensor<7x3xf32> {
    %0 = call @cumprod_2(%arg0) : (tensor<7x3xf32>) -> tensor<7x3xf32>
    return %0 : tensor<7x3xf32>
  }
  func.func private @cumprod_2(%arg0: tensor<7x3xf32>) -> tensor<7x3xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[6, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 7, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<7x3xf32>, tensor<f32>) -> tensor<7x3xf32>
    return %0 : tensor<7x3xf32>
  }
  func.func private @cummax(%arg0: tensor<7x3xf32>) -> tensor<7x3xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<7x3xf32>, tensor<f32>) -> tensor<7x3xf32>
    return %1 : tensor<7x3xf32>
  }
  func.func private @cumlogsumexp(%arg0: tensor<7x3xf32>) -> tensor<7x3xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 6], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 7, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      %2 = stablehlo.subtract %arg1, %arg2 : tensor<f32>
      %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.add %arg1, %arg2 : tensor<f32>
      %5 = stablehlo.abs %2 : tensor<f32>
      %6 = stablehlo.negate %5 : tensor<f32>
      %7 = stablehlo.exponential %6 : tensor<f32>
      %8 = stablehlo.log_plus_one %7 : tensor<f32>
      %9 = stablehlo.add %1, %8 : tensor<f32>
      %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<7x3xf32>, tensor<f32>) -> tensor<7x3xf32>
    return %0 : tensor<7x3xf32>
  }
}
