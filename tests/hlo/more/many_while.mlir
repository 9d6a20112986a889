module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<5xf32> {jax.result_info = "result[1]"}, tensor<5xf32> {jax.result_info = "result[2]"}, tensor<5xf32> {jax.result_info = "result[3]"}, tensor<5xf32> {jax.result_info = "result[4]"}, tensor<5xf32> {jax.result_info = "result[5]"}, tensor<5xf32> {jax.result_info = "result[6]"}, tensor<5xf32> {jax.result_info = "result[7]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_8 = %c, %iterArg_9 = %cst) : tensor<5xf32>, tensor<i32>, tensor<f32>
    cond {
      %c_10 = stablehlo.constant dense<10> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg_8, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %cst_11 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %9 = stablehlo.compare LT, %iterArg_9, %cst_11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_12 = stablehlo.constant dense<false> : tensor<i1>
      %10 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i1>) -> tensor<i1>
      %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %12 = stablehlo.convert %11 : tensor<i1>
      %13 = stablehlo.and %12, %9 : tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg_8, %c_10 : tensor<i32>
      %c_11 = stablehlo.constant dense<5> : tensor<i32>
      %9 = func.call @remainder(%iterArg_8, %c_11) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.compare LT, %9, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %11 = stablehlo.convert %9 : tensor<i32>
      %c_13 = stablehlo.constant dense<5> : tensor<i32>
      %12 = stablehlo.add %11, %c_13 : tensor<i32>
      %13 = stablehlo.select %10, %12, %9 : tensor<i1>, tensor<i32>
      %14 = stablehlo.dynamic_slice %iterArg, %13, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
      %15 = stablehlo.reshape %14 : (tensor<1xf32>) -> tensor<f32>
      %16 = stablehlo.multiply %15, %15 : tensor<f32>
      %17 = stablehlo.add %iterArg_9, %16 : tensor<f32>
      stablehlo.return %iterArg, %8, %17 : tensor<5xf32>, tensor<i32>, tensor<f32>
    }
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %c_0, %iterArg_8 = %arg0) : tensor<i32>, tensor<5xf32>
    cond {
      %c_9 = stablehlo.constant dense<10> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %c_9 = stablehlo.constant dense<2> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_9 : tensor<i32>
      %cst_10 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %10 = stablehlo.multiply %iterArg_8, %9 : tensor<5xf32>
      stablehlo.return %8, %10 : tensor<i32>, tensor<5xf32>
    }
    %c_1 = stablehlo.constant dense<7> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %c_1, %iterArg_8 = %arg0) : tensor<i32>, tensor<5xf32>
    cond {
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.compare GT, %iterArg, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.subtract %iterArg, %c_9 : tensor<i32>
      %cst_10 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %10 = stablehlo.multiply %iterArg_8, %9 : tensor<5xf32>
      stablehlo.return %8, %10 : tensor<i32>, tensor<5xf32>
    }
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %3:2 = stablehlo.while(%iterArg = %c_2, %iterArg_8 = %arg0) : tensor<i32>, tensor<5xf32>
    cond {
      %c_9 = stablehlo.constant dense<4> : tensor<i32>
      %8 = stablehlo.compare LE, %iterArg, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_9 : tensor<i32>
      %cst_10 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %10 = stablehlo.multiply %iterArg_8, %9 : tensor<5xf32>
      stablehlo.return %8, %10 : tensor<i32>, tensor<5xf32>
    }
    %c_3 = stablehlo.constant dense<3> : tensor<ui8>
    %4:2 = stablehlo.while(%iterArg = %c_3, %iterArg_8 = %arg0) : tensor<ui8>, tensor<5xf32>
    cond {
      %c_9 = stablehlo.constant dense<9> : tensor<ui8>
      %8 = stablehlo.compare LT, %iterArg, %c_9, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %c_9 = stablehlo.constant dense<1> : tensor<ui8>
      %8 = stablehlo.add %iterArg, %c_9 : tensor<ui8>
      %cst_10 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %10 = stablehlo.multiply %iterArg_8, %9 : tensor<5xf32>
      stablehlo.return %8, %10 : tensor<ui8>, tensor<5xf32>
    }
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %c_5 = stablehlo.constant dense<9> : tensor<i32>
    %5:3 = stablehlo.while(%iterArg = %c_4, %iterArg_8 = %c_5, %iterArg_9 = %arg0) : tensor<i32>, tensor<i32>, tensor<5xf32>
    cond {
      %8 = stablehlo.compare LT, %iterArg, %iterArg_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_10 : tensor<i32>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.subtract %iterArg_8, %c_11 : tensor<i32>
      %cst_12 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
      %10 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %11 = stablehlo.multiply %iterArg_9, %10 : tensor<5xf32>
      stablehlo.return %8, %9, %11 : tensor<i32>, tensor<i32>, tensor<5xf32>
    }
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %6:3 = stablehlo.while(%iterArg = %c_7, %iterArg_8 = %c_6, %iterArg_9 = %arg0) : tensor<i32>, tensor<i32>, tensor<5xf32>
    cond {
      %c_10 = stablehlo.constant dense<3> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg_8, %c_10 : tensor<i32>
      %c_11 = stablehlo.constant dense<0> : tensor<i32>
      %9:3 = stablehlo.while(%iterArg_13 = %iterArg_8, %iterArg_14 = %c_11, %iterArg_15 = %iterArg_9) : tensor<i32>, tensor<i32>, tensor<5xf32>
      cond {
        %c_16 = stablehlo.constant dense<2> : tensor<i32>
        %11 = stablehlo.add %iterArg_13, %c_16 : tensor<i32>
        %12 = stablehlo.compare LT, %iterArg_14, %11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %12 : tensor<i1>
      } do {
        %c_16 = stablehlo.constant dense<1> : tensor<i32>
        %11 = stablehlo.add %iterArg_14, %c_16 : tensor<i32>
        %cst_17 = stablehlo.constant dense<0.899999976> : tensor<f32>
        %12 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<5xf32>
        %13 = stablehlo.multiply %iterArg_15, %12 : tensor<5xf32>
        stablehlo.return %iterArg_13, %11, %13 : tensor<i32>, tensor<i32>, tensor<5xf32>
      }
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %10, %8, %9#2 : tensor<i32>, tensor<i32>, tensor<5xf32>
    }
    %7 = stablehlo.while(%iterArg = %arg0) : tensor<5xf32>
    cond {
      %cst_8 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %9 = stablehlo.compare LT, %iterArg, %8, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
      %c_9 = stablehlo.constant dense<false> : tensor<i1>
      %10 = stablehlo.reduce(%9 init: %c_9) applies stablehlo.or across dimensions = [0] : (tensor<5xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %cst_8 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %9 = stablehlo.multiply %iterArg, %8 : tensor<5xf32>
      %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %10 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %11 = stablehlo.add %9, %10 : tensor<5xf32>
      %cst_10 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
      %12 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %13 = stablehlo.compare LT, %iterArg, %12, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<5xi1>) -> tensor<5xi1>
      %15 = stablehlo.select %14, %11, %iterArg : tensor<5xi1>, tensor<5xf32>
      stablehlo.return %15 : tensor<5xf32>
    }
    return %0#2, %1#1, %2#1, %3#1, %4#1, %5#2, %6#2, %7 : tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare EQ, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = call @_where(%0, %c_0, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare NE, %2, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare LT, %2, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %7 = stablehlo.and %6, %3 : tensor<i1>
    %8 = stablehlo.add %2, %1 : tensor<i32>
    %9 = stablehlo.select %7, %8, %2 : tensor<i1>, tensor<i32>
    return %9 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
