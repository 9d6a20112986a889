module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}) {
    %0 = chlo.erf %arg0 : tensor<7xf32> -> tensor<7xf32>
    %1 = chlo.erfc %arg0 : tensor<7xf32> -> tensor<7xf32>
    %cst = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %3 = stablehlo.multiply %arg0, %2 : tensor<7xf32>
    %4 = chlo.erf_inv %3 : tensor<7xf32> -> tensor<7xf32>
    %5 = stablehlo.abs %arg0 : tensor<7xf32>
    %cst_0 = stablehlo.constant dense<6.000000e-01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %7 = stablehlo.add %5, %6 : tensor<7xf32>
    %8 = chlo.digamma %7 : tensor<7xf32> -> tensor<7xf32>
    %9 = stablehlo.abs %arg0 : tensor<7xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %11 = stablehlo.add %9, %10 : tensor<7xf32>
    %12 = stablehlo.cbrt %11 : tensor<7xf32>
    %13 = stablehlo.multiply %arg0, %arg0 : tensor<7xf32>
    %14 = stablehlo.log_plus_one %13 : tensor<7xf32>
    %15 = chlo.asinh %arg0 : tensor<7xf32> -> tensor<7xf32>
    %cst_2 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %17 = stablehlo.multiply %arg0, %16 : tensor<7xf32>
    %18 = chlo.atanh %17 : tensor<7xf32> -> tensor<7xf32>
    %19 = stablehlo.reverse %arg0, dims = [0] : tensor<7xf32>
    %20 = call @hypot(%arg0, %19) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %21 = stablehlo.reverse %arg0, dims = [0] : tensor<7xf32>
    %22 = stablehlo.atan2 %arg0, %21 : tensor<7xf32>
    %23 = stablehlo.reverse %arg0, dims = [0] : tensor<7xf32>
    %24 = stablehlo.maximum %arg0, %23 : tensor<7xf32>
    %25 = stablehlo.subtract %arg0, %23 : tensor<7xf32>
    %26 = stablehlo.compare NE, %25, %25, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %27 = stablehlo.add %arg0, %23 : tensor<7xf32>
    %28 = stablehlo.abs %25 : tensor<7xf32>
    %29 = stablehlo.negate %28 : tensor<7xf32>
    %30 = stablehlo.exponential %29 : tensor<7xf32>
    %31 = stablehlo.log_plus_one %30 : tensor<7xf32>
    %32 = stablehlo.add %24, %31 : tensor<7xf32>
    %33 = stablehlo.select %26, %27, %32 : tensor<7xi1>, tensor<7xf32>
    %34 = stablehlo.abs %arg0 : tensor<7xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %36 = stablehlo.add %34, %35 : tensor<7xf32>
    %37 = stablehlo.power %36, %arg0 : tensor<7xf32>
    %38 = stablehlo.multiply %arg0, %arg0 : tensor<7xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %40 = stablehlo.divide %39, %38 : tensor<7xf32>
    %41 = stablehlo.multiply %arg0, %arg0 : tensor<7xf32>
    %42 = stablehlo.multiply %41, %arg0 : tensor<7xf32>
    %cst_5 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %44 = stablehlo.multiply %43, %42 : tensor<7xf32>
    %45 = stablehlo.add %arg0, %44 : tensor<7xf32>
    %cst_6 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %47 = stablehlo.multiply %46, %45 : tensor<7xf32>
    %48 = stablehlo.tanh %47 : tensor<7xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %50 = stablehlo.add %49, %48 : tensor<7xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %52 = stablehlo.multiply %51, %50 : tensor<7xf32>
    %53 = stablehlo.multiply %arg0, %52 : tensor<7xf32>
    %54 = call @softplus(%arg0) : (tensor<7xf32>) -> tensor<7xf32>
    %55 = call @sinc(%arg0) : (tensor<7xf32>) -> tensor<7xf32>
    %56 = call @nan_to_num(%arg0) : (tensor<7xf32>) -> tensor<7xf32>
    %57 = stablehlo.iota dim = 0 : tensor<3xf32>
    %58 = stablehlo.iota dim = 0 : tensor<3xi32>
    %59 = stablehlo.multiply %58, %58 : tensor<3xi32>
    %60 = call @_interp(%arg0, %57, %59) : (tensor<7xf32>, tensor<3xf32>, tensor<3xi32>) -> tensor<7xf32>
    %61 = stablehlo.abs %arg0 : tensor<7xf32>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_11 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %65 = stablehlo.multiply %62, %61 : tensor<7xf32>
    %66 = stablehlo.subtract %65, %63 : tensor<7xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %70 = stablehlo.multiply %66, %67 : tensor<7xf32>
    %71 = stablehlo.subtract %70, %68 : tensor<7xf32>
    %cst_15 = stablehlo.constant dense<-1.30002498E-8> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %73 = stablehlo.add %71, %72 : tensor<7xf32>
    %74 = stablehlo.multiply %66, %73 : tensor<7xf32>
    %75 = stablehlo.subtract %74, %67 : tensor<7xf32>
    %cst_16 = stablehlo.constant dense<6.04699508E-8> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %77 = stablehlo.add %75, %76 : tensor<7xf32>
    %78 = stablehlo.multiply %66, %77 : tensor<7xf32>
    %79 = stablehlo.subtract %78, %73 : tensor<7xf32>
    %cst_17 = stablehlo.constant dense<-2.67079372E-7> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %81 = stablehlo.add %79, %80 : tensor<7xf32>
    %82 = stablehlo.multiply %66, %81 : tensor<7xf32>
    %83 = stablehlo.subtract %82, %77 : tensor<7xf32>
    %cst_18 = stablehlo.constant dense<1.11738757E-6> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %85 = stablehlo.add %83, %84 : tensor<7xf32>
    %86 = stablehlo.multiply %66, %85 : tensor<7xf32>
    %87 = stablehlo.subtract %86, %81 : tensor<7xf32>
    %cst_19 = stablehlo.constant dense<-4.41673819E-6> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %89 = stablehlo.add %87, %88 : tensor<7xf32>
    %90 = stablehlo.multiply %66, %89 : tensor<7xf32>
    %91 = stablehlo.subtract %90, %85 : tensor<7xf32>
    %cst_20 = stablehlo.constant dense<1.64484482E-5> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %93 = stablehlo.add %91, %92 : tensor<7xf32>
    %94 = stablehlo.multiply %66, %93 : tensor<7xf32>
    %95 = stablehlo.subtract %94, %89 : tensor<7xf32>
    %cst_21 = stablehlo.constant dense<-5.75419508E-5> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %97 = stablehlo.add %95, %96 : tensor<7xf32>
    %98 = stablehlo.multiply %66, %97 : tensor<7xf32>
    %99 = stablehlo.subtract %98, %93 : tensor<7xf32>
    %cst_22 = stablehlo.constant dense<1.88502891E-4> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %101 = stablehlo.add %99, %100 : tensor<7xf32>
    %102 = stablehlo.multiply %66, %101 : tensor<7xf32>
    %103 = stablehlo.subtract %102, %97 : tensor<7xf32>
    %cst_23 = stablehlo.constant dense<-5.76375576E-4> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %105 = stablehlo.add %103, %104 : tensor<7xf32>
    %106 = stablehlo.multiply %66, %105 : tensor<7xf32>
    %107 = stablehlo.subtract %106, %101 : tensor<7xf32>
    %cst_24 = stablehlo.constant dense<0.00163947558> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %109 = stablehlo.add %107, %108 : tensor<7xf32>
    %110 = stablehlo.multiply %66, %109 : tensor<7xf32>
    %111 = stablehlo.subtract %110, %105 : tensor<7xf32>
    %cst_25 = stablehlo.constant dense<-4.324310e-03> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %113 = stablehlo.add %111, %112 : tensor<7xf32>
    %114 = stablehlo.multiply %66, %113 : tensor<7xf32>
    %115 = stablehlo.subtract %114, %109 : tensor<7xf32>
    %cst_26 = stablehlo.constant dense<0.0105464607> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %117 = stablehlo.add %115, %116 : tensor<7xf32>
    %118 = stablehlo.multiply %66, %117 : tensor<7xf32>
    %119 = stablehlo.subtract %118, %113 : tensor<7xf32>
    %cst_27 = stablehlo.constant dense<-0.0237374157> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %121 = stablehlo.add %119, %120 : tensor<7xf32>
    %122 = stablehlo.multiply %66, %121 : tensor<7xf32>
    %123 = stablehlo.subtract %122, %117 : tensor<7xf32>
    %cst_28 = stablehlo.constant dense<0.0493052825> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %125 = stablehlo.add %123, %124 : tensor<7xf32>
    %126 = stablehlo.multiply %66, %125 : tensor<7xf32>
    %127 = stablehlo.subtract %126, %121 : tensor<7xf32>
    %cst_29 = stablehlo.constant dense<-9.490110e-02> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %129 = stablehlo.add %127, %128 : tensor<7xf32>
    %130 = stablehlo.multiply %66, %129 : tensor<7xf32>
    %131 = stablehlo.subtract %130, %125 : tensor<7xf32>
    %cst_30 = stablehlo.constant dense<0.171620905> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %133 = stablehlo.add %131, %132 : tensor<7xf32>
    %134 = stablehlo.multiply %66, %133 : tensor<7xf32>
    %135 = stablehlo.subtract %134, %129 : tensor<7xf32>
    %cst_31 = stablehlo.constant dense<-0.304682672> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %137 = stablehlo.add %135, %136 : tensor<7xf32>
    %138 = stablehlo.multiply %66, %137 : tensor<7xf32>
    %139 = stablehlo.subtract %138, %133 : tensor<7xf32>
    %cst_32 = stablehlo.constant dense<0.676795303> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %141 = stablehlo.add %139, %140 : tensor<7xf32>
    %142 = stablehlo.subtract %141, %133 : tensor<7xf32>
    %cst_33 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %144 = stablehlo.multiply %143, %142 : tensor<7xf32>
    %145 = stablehlo.divide %64, %61 : tensor<7xf32>
    %146 = stablehlo.subtract %145, %63 : tensor<7xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %150 = stablehlo.multiply %146, %147 : tensor<7xf32>
    %151 = stablehlo.subtract %150, %148 : tensor<7xf32>
    %cst_37 = stablehlo.constant dense<3.39623196E-9> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %153 = stablehlo.add %151, %152 : tensor<7xf32>
    %154 = stablehlo.multiply %146, %153 : tensor<7xf32>
    %155 = stablehlo.subtract %154, %147 : tensor<7xf32>
    %cst_38 = stablehlo.constant dense<2.26666899E-8> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %157 = stablehlo.add %155, %156 : tensor<7xf32>
    %158 = stablehlo.multiply %146, %157 : tensor<7xf32>
    %159 = stablehlo.subtract %158, %153 : tensor<7xf32>
    %cst_39 = stablehlo.constant dense<2.04891862E-7> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %161 = stablehlo.add %159, %160 : tensor<7xf32>
    %162 = stablehlo.multiply %146, %161 : tensor<7xf32>
    %163 = stablehlo.subtract %162, %157 : tensor<7xf32>
    %cst_40 = stablehlo.constant dense<2.89137051E-6> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %165 = stablehlo.add %163, %164 : tensor<7xf32>
    %166 = stablehlo.multiply %146, %165 : tensor<7xf32>
    %167 = stablehlo.subtract %166, %161 : tensor<7xf32>
    %cst_41 = stablehlo.constant dense<6.88975852E-5> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %169 = stablehlo.add %167, %168 : tensor<7xf32>
    %170 = stablehlo.multiply %146, %169 : tensor<7xf32>
    %171 = stablehlo.subtract %170, %165 : tensor<7xf32>
    %cst_42 = stablehlo.constant dense<0.00336911646> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %173 = stablehlo.add %171, %172 : tensor<7xf32>
    %174 = stablehlo.multiply %146, %173 : tensor<7xf32>
    %175 = stablehlo.subtract %174, %169 : tensor<7xf32>
    %cst_43 = stablehlo.constant dense<0.804490387> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %177 = stablehlo.add %175, %176 : tensor<7xf32>
    %178 = stablehlo.subtract %177, %169 : tensor<7xf32>
    %cst_44 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %180 = stablehlo.multiply %179, %178 : tensor<7xf32>
    %181 = stablehlo.sqrt %61 : tensor<7xf32>
    %182 = stablehlo.divide %180, %181 : tensor<7xf32>
    %cst_45 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %184 = stablehlo.compare LE, %61, %183, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %185 = stablehlo.select %184, %144, %182 : tensor<7xi1>, tensor<7xf32>
    %186 = chlo.bessel_i1e %arg0 : tensor<7xf32> -> tensor<7xf32>
    %187 = stablehlo.iota dim = 0 : tensor<7xf32>
    %188 = stablehlo.cosine %187 : tensor<7xf32>
    %189 = stablehlo.multiply %0, %188 : tensor<7xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %190 = stablehlo.reduce(%189 init: %cst_46) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %191 = stablehlo.add %cst_47, %190 : tensor<f32>
    %192 = stablehlo.iota dim = 0 : tensor<7xf32>
    %193 = stablehlo.cosine %192 : tensor<7xf32>
    %194 = stablehlo.multiply %1, %193 : tensor<7xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %195 = stablehlo.reduce(%194 init: %cst_48) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %196 = stablehlo.add %191, %195 : tensor<f32>
    %197 = stablehlo.iota dim = 0 : tensor<7xf32>
    %198 = stablehlo.cosine %197 : tensor<7xf32>
    %199 = stablehlo.multiply %4, %198 : tensor<7xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %200 = stablehlo.reduce(%199 init: %cst_49) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %201 = stablehlo.add %196, %200 : tensor<f32>
    %202 = stablehlo.iota dim = 0 : tensor<7xf32>
    %203 = stablehlo.cosine %202 : tensor<7xf32>
    %204 = stablehlo.multiply %8, %203 : tensor<7xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %205 = stablehlo.reduce(%204 init: %cst_50) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %206 = stablehlo.add %201, %205 : tensor<f32>
    %207 = stablehlo.iota dim = 0 : tensor<7xf32>
    %208 = stablehlo.cosine %207 : tensor<7xf32>
    %209 = stablehlo.multiply %12, %208 : tensor<7xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %210 = stablehlo.reduce(%209 init: %cst_51) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %211 = stablehlo.add %206, %210 : tensor<f32>
    %212 = stablehlo.iota dim = 0 : tensor<7xf32>
    %213 = stablehlo.cosine %212 : tensor<7xf32>
    %214 = stablehlo.multiply %14, %213 : tensor<7xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %215 = stablehlo.reduce(%214 init: %cst_52) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %216 = stablehlo.add %211, %215 : tensor<f32>
    %217 = stablehlo.iota dim = 0 : tensor<7xf32>
    %218 = stablehlo.cosine %217 : tensor<7xf32>
    %219 = stablehlo.multiply %15, %218 : tensor<7xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %220 = stablehlo.reduce(%219 init: %cst_53) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %221 = stablehlo.add %216, %220 : tensor<f32>
    %222 = stablehlo.iota dim = 0 : tensor<7xf32>
    %223 = stablehlo.cosine %222 : tensor<7xf32>
    %224 = stablehlo.multiply %18, %223 : tensor<7xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %225 = stablehlo.reduce(%224 init: %cst_54) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %226 = stablehlo.add %221, %225 : tensor<f32>
    %227 = stablehlo.iota dim = 0 : tensor<7xf32>
    %228 = stablehlo.cosine %227 : tensor<7xf32>
    %229 = stablehlo.multiply %20, %228 : tensor<7xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %230 = stablehlo.reduce(%229 init: %cst_55) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %231 = stablehlo.add %226, %230 : tensor<f32>
    %232 = stablehlo.iota dim = 0 : tensor<7xf32>
    %233 = stablehlo.cosine %232 : tensor<7xf32>
    %234 = stablehlo.multiply %22, %233 : tensor<7xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %235 = stablehlo.reduce(%234 init: %cst_56) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %236 = stablehlo.add %231, %235 : tensor<f32>
    %237 = stablehlo.iota dim = 0 : tensor<7xf32>
    %238 = stablehlo.cosine %237 : tensor<7xf32>
    %239 = stablehlo.multiply %33, %238 : tensor<7xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %240 = stablehlo.reduce(%239 init: %cst_57) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %241 = stablehlo.add %236, %240 : tensor<f32>
    %242 = stablehlo.iota dim = 0 : tensor<7xf32>
    %243 = stablehlo.cosine %242 : tensor<7xf32>
    %244 = stablehlo.multiply %37, %243 : tensor<7xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %245 = stablehlo.reduce(%244 init: %cst_58) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %246 = stablehlo.add %241, %245 : tensor<f32>
    %247 = stablehlo.iota dim = 0 : tensor<7xf32>
    %248 = stablehlo.cosine %247 : tensor<7xf32>
    %249 = stablehlo.multiply %40, %248 : tensor<7xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %250 = stablehlo.reduce(%249 init: %cst_59) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %251 = stablehlo.add %246, %250 : tensor<f32>
    %252 = stablehlo.iota dim = 0 : tensor<7xf32>
    %253 = stablehlo.cosine %252 : tensor<7xf32>
    %254 = stablehlo.multiply %53, %253 : tensor<7xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %255 = stablehlo.reduce(%254 init: %cst_60) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %256 = stablehlo.add %251, %255 : tensor<f32>
    %257 = stablehlo.iota dim = 0 : tensor<7xf32>
    %258 = stablehlo.cosine %257 : tensor<7xf32>
    %259 = stablehlo.multiply %54, %258 : tensor<7xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %260 = stablehlo.reduce(%259 init: %cst_61) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %261 = stablehlo.add %256, %260 : tensor<f32>
    %262 = stablehlo.iota dim = 0 : tensor<7xf32>
    %263 = stablehlo.cosine %262 : tensor<7xf32>
    %264 = stablehlo.multiply %55, %263 : tensor<7xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %265 = stablehlo.reduce(%264 init: %cst_62) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %266 = stablehlo.add %261, %265 : tensor<f32>
    %267 = stablehlo.iota dim = 0 : tensor<7xf32>
    %268 = stablehlo.cosine %267 : tensor<7xf32>
    %269 = stablehlo.multiply %56, %268 : tensor<7xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %270 = stablehlo.reduce(%269 init: %cst_63) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %271 = stablehlo.add %266, %270 : tensor<f32>
    %272 = stablehlo.iota dim = 0 : tensor<7xf32>
    %273 = stablehlo.cosine %272 : tensor<7xf32>
    %274 = stablehlo.multiply %60, %273 : tensor<7xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %275 = stablehlo.reduce(%274 init: %cst_64) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %276 = stablehlo.add %271, %275 : tensor<f32>
    %277 = stablehlo.iota dim = 0 : tensor<7xf32>
    %278 = stablehlo.cosine %277 : tensor<7xf32>
    %279 = stablehlo.multiply %185, %278 : tensor<7xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %280 = stablehlo.reduce(%279 init: %cst_65) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %281 = stablehlo.add %276, %280 : tensor<f32>
    %282 = stablehlo.iota dim = 0 : tensor<7xf32>
    %283 = stablehlo.cosine %282 : tensor<7xf32>
    %284 = stablehlo.multiply %186, %283 : tensor<7xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %285 = stablehlo.reduce(%284 init: %cst_66) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %286 = stablehlo.add %281, %285 : tensor<f32>
    return %286 : tensor<f32>
  }
  func.func private @hypot(%arg0: tensor<7xf32>, %arg1: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.abs %arg0 : tensor<7xf32>
    %1 = stablehlo.abs %arg1 : tensor<7xf32>
    %2 = stablehlo.maximum %0, %1 : tensor<7xf32>
    %cst = stablehlo.constant dense<9.22337203E+18> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %4 = stablehlo.compare GE, %2, %3, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_0 = stablehlo.constant dense<2.44140625E-4> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %6 = stablehlo.compare LE, %2, %5, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_1 = stablehlo.constant dense<2.64697796E-23> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_2 = stablehlo.constant dense<3.77789319E+22> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %10 = stablehlo.multiply %arg0, %7 : tensor<7xf32>
    %11 = stablehlo.multiply %arg0, %8 : tensor<7xf32>
    %12 = stablehlo.select %6, %11, %arg0 : tensor<7xi1>, tensor<7xf32>
    %13 = stablehlo.select %4, %10, %12 : tensor<7xi1>, tensor<7xf32>
    %14 = stablehlo.multiply %arg1, %7 : tensor<7xf32>
    %15 = stablehlo.multiply %arg1, %8 : tensor<7xf32>
    %16 = stablehlo.select %6, %15, %arg1 : tensor<7xi1>, tensor<7xf32>
    %17 = stablehlo.select %4, %14, %16 : tensor<7xi1>, tensor<7xf32>
    %18 = stablehlo.select %6, %7, %9 : tensor<7xi1>, tensor<7xf32>
    %19 = stablehlo.select %4, %8, %18 : tensor<7xi1>, tensor<7xf32>
    %20 = chlo.square %13 : tensor<7xf32> -> tensor<7xf32>
    %21 = chlo.square %17 : tensor<7xf32> -> tensor<7xf32>
    %22 = stablehlo.add %20, %21 : tensor<7xf32>
    %23 = stablehlo.sqrt %22 : tensor<7xf32>
    %24 = stablehlo.multiply %23, %19 : tensor<7xf32>
    %cst_4 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %26 = stablehlo.compare EQ, %0, %25, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %27 = stablehlo.compare EQ, %1, %25, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %28 = stablehlo.or %26, %27 : tensor<7xi1>
    %29 = stablehlo.select %28, %25, %24 : tensor<7xi1>, tensor<7xf32>
    return %29 : tensor<7xf32>
  }
  func.func private @softplus(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<7xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<7xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<7xf32>
    %7 = stablehlo.abs %3 : tensor<7xf32>
    %8 = stablehlo.negate %7 : tensor<7xf32>
    %9 = stablehlo.exponential %8 : tensor<7xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<7xf32>
    %11 = stablehlo.add %1, %10 : tensor<7xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<7xi1>, tensor<7xf32>
    return %12 : tensor<7xf32>
  }
  func.func private @sinc(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<7xf32>
    %1 = stablehlo.abs %arg0 : tensor<7xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %3 = stablehlo.compare EQ, %1, %2, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %4 = stablehlo.subtract %arg0, %0 : tensor<7xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = call @_where(%3, %c, %4) : (tensor<7xi1>, tensor<i32>, tensor<7xf32>) -> tensor<7xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<7xf32>
    %cst_0 = stablehlo.constant dense<-1.64493406> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.811742424> : tensor<f32>
    %cst_2 = stablehlo.constant dense<-0.190751821> : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.026147848> : tensor<f32>
    %cst_4 = stablehlo.constant dense<-0.00234608096> : tensor<f32>
    %cst_5 = stablehlo.constant dense<1.48428793E-4> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<7xf32>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %10 = stablehlo.add %8, %9 : tensor<7xf32>
    %11 = stablehlo.multiply %10, %6 : tensor<7xf32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %13 = stablehlo.add %11, %12 : tensor<7xf32>
    %14 = stablehlo.multiply %13, %6 : tensor<7xf32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %16 = stablehlo.add %14, %15 : tensor<7xf32>
    %17 = stablehlo.multiply %16, %6 : tensor<7xf32>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %19 = stablehlo.add %17, %18 : tensor<7xf32>
    %20 = stablehlo.multiply %19, %6 : tensor<7xf32>
    %21 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %22 = stablehlo.add %20, %21 : tensor<7xf32>
    %23 = stablehlo.multiply %6, %22 : tensor<7xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %25 = stablehlo.add %24, %23 : tensor<7xf32>
    %26 = stablehlo.multiply %5, %23 : tensor<7xf32>
    %27 = stablehlo.add %5, %26 : tensor<7xf32>
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %29 = stablehlo.multiply %28, %0 : tensor<7xf32>
    %30 = stablehlo.round_nearest_even %29 : tensor<7xf32>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %32 = stablehlo.multiply %31, %30 : tensor<7xf32>
    %33 = stablehlo.compare NE, %32, %0, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %35 = stablehlo.compare EQ, %0, %34, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %36 = stablehlo.negate %arg0 : tensor<7xf32>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %37 = call @_where(%35, %c_10, %arg0) : (tensor<7xi1>, tensor<i32>, tensor<7xf32>) -> tensor<7xf32>
    %38 = call @_where_0(%33, %36, %37) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %39 = stablehlo.divide %27, %38 : tensor<7xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %41 = stablehlo.compare EQ, %5, %40, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %42 = stablehlo.subtract %39, %39 : tensor<7xf32>
    %43 = call @_where_0(%41, %42, %39) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %44 = call @_where_0(%35, %25, %43) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    return %44 : tensor<7xf32>
  }
  func.func private @_where(%arg0: tensor<7xi1>, %arg1: tensor<i32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<7xi1>, tensor<7xf32>
    return %2 : tensor<7xf32>
  }
  func.func private @_where_0(%arg0: tensor<7xi1>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<7xi1>, tensor<7xf32>
    return %0 : tensor<7xf32>
  }
  func.func private @nan_to_num(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = call @_where_1(%0, %cst, %arg0) : (tensor<7xi1>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %3 = stablehlo.compare EQ, %1, %2, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_1 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %4 = call @_where_1(%3, %cst_1, %1) : (tensor<7xi1>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %6 = stablehlo.compare EQ, %4, %5, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_3 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %7 = call @_where_1(%6, %cst_3, %4) : (tensor<7xi1>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
    return %7 : tensor<7xf32>
  }
  func.func private @_where_1(%arg0: tensor<7xi1>, %arg1: tensor<f32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<7xi1>, tensor<7xf32>
    return %1 : tensor<7xf32>
  }
  func.func private @_interp(%arg0: tensor<7xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xi32>) -> tensor<7xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<3xi32>) -> tensor<3xf32>
    %1 = call @searchsorted(%arg1, %arg0) : (tensor<3xf32>, tensor<7xf32>) -> tensor<7xi32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %2 = call @clip(%1, %c, %c_0) : (tensor<7xi32>, tensor<i32>, tensor<i32>) -> tensor<7xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %4 = stablehlo.compare LT, %2, %3, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %6 = stablehlo.add %2, %5 : tensor<7xi32>
    %7 = stablehlo.select %4, %6, %2 : tensor<7xi1>, tensor<7xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %9 = "stablehlo.gather"(%0, %8) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<7x1xi32>) -> tensor<7xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %11 = stablehlo.subtract %2, %10 : tensor<7xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %13 = stablehlo.compare LT, %11, %12, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_5 = stablehlo.constant dense<3> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %15 = stablehlo.add %11, %14 : tensor<7xi32>
    %16 = stablehlo.select %13, %15, %11 : tensor<7xi1>, tensor<7xi32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %18 = "stablehlo.gather"(%0, %17) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<7x1xi32>) -> tensor<7xf32>
    %19 = stablehlo.subtract %9, %18 : tensor<7xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %21 = stablehlo.compare LT, %2, %20, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_7 = stablehlo.constant dense<3> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %23 = stablehlo.add %2, %22 : tensor<7xi32>
    %24 = stablehlo.select %21, %23, %2 : tensor<7xi1>, tensor<7xi32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %26 = "stablehlo.gather"(%arg1, %25) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<7x1xi32>) -> tensor<7xf32>
    %c_8 = stablehlo.constant dense<1> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %28 = stablehlo.subtract %2, %27 : tensor<7xi32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %30 = stablehlo.compare LT, %28, %29, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_10 = stablehlo.constant dense<3> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %32 = stablehlo.add %28, %31 : tensor<7xi32>
    %33 = stablehlo.select %30, %32, %28 : tensor<7xi1>, tensor<7xi32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %35 = "stablehlo.gather"(%arg1, %34) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<7x1xi32>) -> tensor<7xf32>
    %36 = stablehlo.subtract %26, %35 : tensor<7xf32>
    %c_11 = stablehlo.constant dense<1> : tensor<i32>
    %37 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %38 = stablehlo.subtract %2, %37 : tensor<7xi32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %39 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %40 = stablehlo.compare LT, %38, %39, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_13 = stablehlo.constant dense<3> : tensor<i32>
    %41 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %42 = stablehlo.add %38, %41 : tensor<7xi32>
    %43 = stablehlo.select %40, %42, %38 : tensor<7xi1>, tensor<7xi32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %45 = "stablehlo.gather"(%arg1, %44) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<7x1xi32>) -> tensor<7xf32>
    %46 = stablehlo.subtract %arg0, %45 : tensor<7xf32>
    %47 = stablehlo.abs %36 : tensor<7xf32>
    %cst = stablehlo.constant dense<1.42108547E-14> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %49 = stablehlo.compare LE, %47, %48, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %50 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %51 = stablehlo.subtract %2, %50 : tensor<7xi32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %52 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %53 = stablehlo.compare LT, %51, %52, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_16 = stablehlo.constant dense<3> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %55 = stablehlo.add %51, %54 : tensor<7xi32>
    %56 = stablehlo.select %53, %55, %51 : tensor<7xi1>, tensor<7xi32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %58 = "stablehlo.gather"(%0, %57) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<7x1xi32>) -> tensor<7xf32>
    %c_17 = stablehlo.constant dense<1> : tensor<i32>
    %59 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %60 = stablehlo.subtract %2, %59 : tensor<7xi32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %61 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %62 = stablehlo.compare LT, %60, %61, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_19 = stablehlo.constant dense<3> : tensor<i32>
    %63 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %64 = stablehlo.add %60, %63 : tensor<7xi32>
    %65 = stablehlo.select %62, %64, %60 : tensor<7xi1>, tensor<7xi32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %67 = "stablehlo.gather"(%0, %66) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<7x1xi32>) -> tensor<7xf32>
    %c_20 = stablehlo.constant dense<1> : tensor<i32>
    %68 = call @_where(%49, %c_20, %36) : (tensor<7xi1>, tensor<i32>, tensor<7xf32>) -> tensor<7xf32>
    %69 = stablehlo.divide %46, %68 : tensor<7xf32>
    %70 = stablehlo.multiply %69, %19 : tensor<7xf32>
    %71 = stablehlo.add %67, %70 : tensor<7xf32>
    %72 = call @_where_0(%49, %58, %71) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %73 = stablehlo.slice %0 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %74 = stablehlo.reshape %73 : (tensor<1xf32>) -> tensor<f32>
    %75 = stablehlo.slice %arg1 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %76 = stablehlo.reshape %75 : (tensor<1xf32>) -> tensor<f32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %78 = stablehlo.compare LT, %arg0, %77, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %79 = call @_where_1(%78, %74, %72) : (tensor<7xi1>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
    %80 = stablehlo.slice %0 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %81 = stablehlo.reshape %80 : (tensor<1xf32>) -> tensor<f32>
    %82 = stablehlo.slice %arg1 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %83 = stablehlo.reshape %82 : (tensor<1xf32>) -> tensor<f32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %85 = stablehlo.compare GT, %arg0, %84, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %86 = call @_where_1(%85, %81, %79) : (tensor<7xi1>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
    return %86 : tensor<7xf32>
  }
  func.func private @searchsorted(%arg0: tensor<3xf32>, %arg1: tensor<7xf32>) -> tensor<7xi32> {
    %0 = call @_searchsorted_scan_impl(%arg0, %arg1) : (tensor<3xf32>, tensor<7xf32>) -> tensor<7xi32>
    return %0 : tensor<7xi32>
  }
  func.func private @_searchsorted_scan_impl(%arg0: tensor<3xf32>, %arg1: tensor<7xf32>) -> tensor<7xi32> {
    %0 = call @_searchsorted_scan_impl_2(%arg0, %arg1) : (tensor<3xf32>, tensor<7xf32>) -> tensor<7xi32>
    return %0 : tensor<7xi32>
  }
  func.func private @_searchsorted_scan_impl_2(%arg0: tensor<3xf32>, %arg1: tensor<7xf32>) -> tensor<7xi32> {
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %c_0 = stablehlo.constant dense<3> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %c_1, %iterArg_4 = %0, %iterArg_5 = %1) : tensor<3xf32>, tensor<7xf32>, tensor<i32>, tensor<7xui32>, tensor<7xui32>
    cond {
      %c_6 = stablehlo.constant dense<2> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.subtract %iterArg_5, %iterArg_4 : tensor<7xui32>
      %c_6 = stablehlo.constant dense<2> : tensor<i32>
      %5 = func.call @floor_divide(%4, %c_6) : (tensor<7xui32>, tensor<i32>) -> tensor<7xui32>
      %6 = stablehlo.add %iterArg_4, %5 : tensor<7xui32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<7xui32>) -> tensor<7x1xui32>
      %8 = "stablehlo.gather"(%iterArg, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<7x1xui32>) -> tensor<7x1xf32>
      %9 = stablehlo.reshape %8 : (tensor<7x1xf32>) -> tensor<7xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %11 = stablehlo.compare EQ, %iterArg_2, %10, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %12 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %13 = stablehlo.select %11, %12, %iterArg_2 : tensor<7xi1>, tensor<7xf32>
      %14 = stablehlo.compare NE, %iterArg_2, %iterArg_2, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %cst_8 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %15 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %16 = stablehlo.select %14, %15, %13 : tensor<7xi1>, tensor<7xf32>
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %17 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %18 = stablehlo.compare EQ, %9, %17, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %19 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %20 = stablehlo.select %18, %19, %9 : tensor<7xi1>, tensor<7xf32>
      %21 = stablehlo.compare NE, %9, %9, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %cst_11 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %22 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %23 = stablehlo.select %21, %22, %20 : tensor<7xi1>, tensor<7xf32>
      %24 = stablehlo.compare LT, %16, %23, TOTALORDER : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %25 = stablehlo.select %24, %iterArg_4, %6 : tensor<7xi1>, tensor<7xui32>
      %26 = stablehlo.select %24, %6, %iterArg_5 : tensor<7xi1>, tensor<7xui32>
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %27 = stablehlo.add %iterArg_3, %c_12 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %27, %25, %26 : tensor<3xf32>, tensor<7xf32>, tensor<i32>, tensor<7xui32>, tensor<7xui32>
    }
    %3 = stablehlo.convert %2#4 : (tensor<7xui32>) -> tensor<7xi32>
    return %3 : tensor<7xi32>
  }
  func.func private @floor_divide(%arg0: tensor<7xui32>, %arg1: tensor<i32>) -> tensor<7xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %2 = stablehlo.divide %arg0, %1 : tensor<7xui32>
    return %2 : tensor<7xui32>
  }
  func.func private @clip(%arg0: tensor<7xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<7xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<7xi32>
    %3 = stablehlo.convert %arg2 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %5 = stablehlo.minimum %4, %2 : tensor<7xi32>
    return %5 : tensor<7xi32>
  }
}
