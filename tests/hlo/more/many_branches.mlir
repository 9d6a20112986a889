module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf32>, %arg1: tensor<5xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}) {
    %0 = stablehlo.slice %arg1 [0:1] : (tensor<5xi32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.clamp %c, %1, %c_0 : tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %52 = stablehlo.sine %arg0 : tensor<5xf32>
      stablehlo.return %52 : tensor<5xf32>
    }, {
      %52 = stablehlo.cosine %arg0 : tensor<5xf32>
      stablehlo.return %52 : tensor<5xf32>
    }, {
      %52 = stablehlo.tanh %arg0 : tensor<5xf32>
      stablehlo.return %52 : tensor<5xf32>
    }, {
      %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %52 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %53 = stablehlo.multiply %arg0, %52 : tensor<5xf32>
      stablehlo.return %53 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<2> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %6 = stablehlo.clamp %4, %arg1, %5 : tensor<5xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %8 = stablehlo.compare EQ, %6, %7, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %9 = stablehlo.select %8, %arg0, %arg0 : tensor<5xi1>, tensor<5xf32>
    %10 = stablehlo.sine %9 : tensor<5xf32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %12 = stablehlo.compare EQ, %6, %11, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %13 = stablehlo.select %12, %arg0, %arg0 : tensor<5xi1>, tensor<5xf32>
    %14 = stablehlo.cosine %13 : tensor<5xf32>
    %c_5 = stablehlo.constant dense<2> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %16 = stablehlo.compare EQ, %6, %15, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %17 = stablehlo.select %16, %arg0, %arg0 : tensor<5xi1>, tensor<5xf32>
    %18 = stablehlo.tanh %17 : tensor<5xf32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %20 = stablehlo.compare LT, %6, %19, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %22 = stablehlo.compare LT, %6, %21, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %23 = stablehlo.select %22, %14, %18 : tensor<5xi1>, tensor<5xf32>
    %24 = stablehlo.select %20, %10, %23 : tensor<5xi1>, tensor<5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %26 = stablehlo.compare GT, %arg0, %25, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
    %27 = stablehlo.convert %26 : (tensor<5xi1>) -> tensor<5xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %29 = stablehlo.compare EQ, %27, %28, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %30 = stablehlo.select %29, %arg0, %arg0 : tensor<5xi1>, tensor<5xf32>
    %31 = stablehlo.exponential %30 : tensor<5xf32>
    %c_9 = stablehlo.constant dense<1> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %33 = stablehlo.compare EQ, %27, %32, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %34 = stablehlo.select %33, %arg0, %arg0 : tensor<5xi1>, tensor<5xf32>
    %35 = stablehlo.sine %34 : tensor<5xf32>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %37 = stablehlo.compare LT, %27, %36, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %38 = stablehlo.select %37, %31, %35 : tensor<5xi1>, tensor<5xf32>
    %39 = stablehlo.slice %arg0 [0:1] : (tensor<5xf32>) -> tensor<1xf32>
    %40 = stablehlo.reshape %39 : (tensor<1xf32>) -> tensor<f32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.compare GT, %40, %cst_11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %42 = stablehlo.convert %41 : (tensor<i1>) -> tensor<i32>
    %43 = "stablehlo.case"(%42) ({
      %52 = stablehlo.multiply %arg0, %arg0 : tensor<5xf32>
      stablehlo.return %52 : tensor<5xf32>
    }, {
      %52 = stablehlo.slice %arg0 [1:2] : (tensor<5xf32>) -> tensor<1xf32>
      %53 = stablehlo.reshape %52 : (tensor<1xf32>) -> tensor<f32>
      %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %54 = stablehlo.compare GT, %53, %cst_17, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %55 = stablehlo.convert %54 : (tensor<i1>) -> tensor<i32>
      %56 = "stablehlo.case"(%55) ({
        %57 = stablehlo.cosine %arg0 : tensor<5xf32>
        stablehlo.return %57 : tensor<5xf32>
      }, {
        %57 = stablehlo.sine %arg0 : tensor<5xf32>
        stablehlo.return %57 : tensor<5xf32>
      }) : (tensor<i32>) -> tensor<5xf32>
      stablehlo.return %56 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%3 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.add %cst_13, %44 : tensor<f32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%24 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %47 = stablehlo.add %45, %46 : tensor<f32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%38 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %49 = stablehlo.add %47, %48 : tensor<f32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%43 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %51 = stablehlo.add %49, %50 : tensor<f32>
    return %51 : tensor<f32>
  }
}
