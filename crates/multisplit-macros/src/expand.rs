//! What takes the function's place.
//!
//! The struct itself, which the user sees; its counterpart inside kernels, by CubeCL's convention named `…Expand`; and
//! the traits of both. `CubeType` and `LaunchArg` could be derived, but CubeCL's derives add public types, without
//! documentation, to the user's.

use crate::function::{Function, mentions};
use crate::options::Options;
use crate::parameter::Parameter;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

pub fn expand(function: &Function, options: &Options) -> TokenStream {
    let conditions = &function.attributes.conditions;
    let items = Items::new(function, options);
    let all = [
        items.definition(),
        items.constructor(),
        items.inside_kernels(),
        items.launch_arg(),
        items.body(),
        items.bucket_fn(),
        items.buckets(),
    ];
    // Each may be several items.
    all.into_iter().flatten().map(|item| quote!(#(#conditions)* #item)).collect()
}

struct Items<'a> {
    function: &'a Function,
    options: &'a Options,
    /// What the expansion names: in the prelude, so that it is found whatever this crate's user calls the library. The
    /// name is for the error if the prelude is not there.
    library: TokenStream,
    /// The struct inside kernels.
    expand: Ident,
    /// The marker of type parameters that no field is made of, and its type.
    marker: Option<(Ident, TokenStream)>,
}

impl<'a> Items<'a> {
    fn new(function: &'a Function, options: &'a Options) -> Self {
        let library = quote!(__multisplit_bucket_prelude);
        let unused = function.unused_types();
        let marker =
            (!unused.is_empty()).then(|| (format_ident!("__types"), quote!(#library::PhantomData<(#(#unused,)*)>)));
        Self { function, options, expand: format_ident!("{}Expand", function.name), library, marker }
    }

    fn definition(&self) -> Vec<TokenStream> {
        let Function { attributes, vis, name, generics, fields, .. } = self.function;
        let attributes = &attributes.of_struct;
        let fields = fields.iter().map(|Parameter { docs, name, ty, .. }| quote!(#(#docs)* #vis #name: #ty,));
        let marker = self.marker.iter().map(|(name, ty)| quote!(#name: #ty,));
        let fields: Vec<_> = fields.chain(marker).collect();
        let fields = if fields.is_empty() { quote!(;) } else { quote!({ #(#fields)* }) };
        vec![quote!(#(#attributes)* #vis struct #name #generics #fields)]
    }

    /// Makes the struct where a literal cannot, since a field of it is the marker.
    fn constructor(&self) -> Vec<TokenStream> {
        let Some((marker, _)) = &self.marker else { return Vec::new() };
        let library = &self.library;
        let Function { vis, name, fields, .. } = self.function;
        let (impl_generics, ty_generics, _) = self.function.generics.split_for_impl();
        let parameters = fields.iter().map(|Parameter { name, ty, .. }| quote!(#name: #ty));
        let names = fields.iter().map(|field| &field.name);
        vec![quote! {
            impl #impl_generics #name #ty_generics {
                /// The function with these fields.
                #[allow(dead_code, clippy::all, clippy::pedantic)]
                #vis fn new(#(#parameters),*) -> Self {
                    Self { #(#names,)* #marker: #library::PhantomData }
                }
            }
        }]
    }

    /// The struct inside kernels.
    fn inside_kernels(&self) -> Vec<TokenStream> {
        let Self { library, expand, .. } = self;
        let Function { vis, name, generics, fields, .. } = self.function;
        let (impl_generics, ty_generics, _) = generics.split_for_impl();
        let (marker, marker_types): (Vec<_>, Vec<_>) = self.marker.iter().cloned().unzip();
        let names: Vec<_> = fields.iter().map(|field| &field.name).chain(&marker).collect();
        let types = fields.iter().map(|Parameter { ty, comptime, .. }| match comptime {
            true => ty.to_token_stream(),
            false => quote_spanned!(ty.span()=> <#ty as #library::CubeType>::ExpandType),
        });
        let types = types.chain(marker_types);
        let mutable = fields.iter().map(|Parameter { name, comptime, .. }| match comptime {
            true => quote!(self.#name),
            false => quote!(#library::IntoMut::into_mut(self.#name, _scope)),
        });
        let mutable = mutable.chain(marker.iter().map(|marker| quote!(self.#marker)));
        vec![
            quote!(#[doc(hidden)] #vis struct #expand #generics { #(#names: #types),* }),
            quote! {
                #[allow(clippy::all, clippy::pedantic)]
                impl #impl_generics #library::Clone for #expand #ty_generics {
                    fn clone(&self) -> Self {
                        Self { #(#names: #library::Clone::clone(&self.#names)),* }
                    }
                }
            },
            quote! {
                #[allow(clippy::all, clippy::pedantic)]
                impl #impl_generics #library::IntoMut for #expand #ty_generics {
                    fn into_mut(self, _scope: &mut #library::Scope) -> Self {
                        Self { #(#names: #mutable),* }
                    }
                }
            },
            quote!(impl #impl_generics #library::CubeDebug for #expand #ty_generics {}),
            quote! {
                impl #impl_generics #library::CubeType for #name #ty_generics {
                    type ExpandType = #expand #ty_generics;
                }
            },
        ]
    }

    /// How the fields get into a kernel: all of them as nested pairs, which are of any length.
    fn launch_arg(&self) -> Vec<TokenStream> {
        let Self { library, expand, .. } = self;
        let Function { name, fields, .. } = self.function;
        let (impl_generics, ty_generics, _) = self.function.generics.split_for_impl();
        let pairs = |of: &dyn Fn(usize, &Parameter) -> TokenStream| {
            fields.iter().enumerate().rev().fold(quote!(()), |rest, (i, field)| {
                let first = of(i, field);
                quote!((#first, #rest))
            })
        };
        let local = |i: usize| format_ident!("field_{i}");
        let of_field =
            |ty: &syn::Type, what: TokenStream| quote_spanned!(ty.span()=> <#ty as #library::LaunchArg>::#what);
        let locals = pairs(&|i, _| local(i).into_token_stream());
        let runtime = pairs(&|_, Parameter { ty, comptime, .. }| match comptime {
            true => ty.to_token_stream(),
            false => of_field(ty, quote!(RuntimeArg<__R>)),
        });
        let compilation = pairs(&|_, Parameter { ty, comptime, .. }| match comptime {
            true => ty.to_token_stream(),
            false => of_field(ty, quote!(CompilationArg)),
        });
        let registered = pairs(&|i, Parameter { ty, comptime, .. }| match (local(i), comptime) {
            (value, true) => value.into_token_stream(),
            (value, false) => of_field(ty, quote!(register(#value, _launcher))),
        });
        let expanded = fields.iter().enumerate().map(|(i, Parameter { name, ty, comptime, .. })| {
            let value = match (local(i), comptime) {
                (value, true) => quote!(#library::Clone::clone(#value)),
                (value, false) => of_field(ty, quote!(expand(#value, _builder))),
            };
            quote!(#name: #value)
        });
        let marker = self.marker.iter().map(|(name, _)| quote!(#name: #library::PhantomData));
        let expanded = expanded.chain(marker);
        vec![quote! {
            #[allow(clippy::all, clippy::pedantic)]
            impl #impl_generics #library::LaunchArg for #name #ty_generics {
                type RuntimeArg<__R: #library::Runtime> = #runtime;
                type CompilationArg = #compilation;

                fn register<__R: #library::Runtime>(
                    arg: Self::RuntimeArg<__R>,
                    _launcher: &mut #library::KernelLauncher<__R>,
                ) -> Self::CompilationArg {
                    let #locals = arg;
                    #registered
                }

                fn expand(
                    arg: &Self::CompilationArg,
                    _builder: &mut #library::KernelBuilder,
                ) -> <Self as #library::CubeType>::ExpandType {
                    let #locals = arg;
                    #expand { #(#expanded),* }
                }
            }
        }]
    }

    /// The user's own parameters and body, as a function that kernels can call.
    fn body(&self) -> Vec<TokenStream> {
        let library = &self.library;
        let Function { attributes, name, key, fields, body, .. } = self.function;
        let (impl_generics, ty_generics, _) = self.function.generics.split_for_impl();
        let attributes = &attributes.of_body;
        let inline =
            (!attributes.iter().any(|attribute| attribute.path().is_ident("inline"))).then(|| quote!(#[inline]));
        let key = key.declaration(TokenStream::new());
        let fields = fields.iter().map(|field| {
            // What the number of buckets is made of is not unused.
            let counts = mentions(self.options.buckets.to_token_stream(), &field.name);
            field.declaration(if counts { quote!(#[allow(unused_variables)]) } else { TokenStream::new() })
        });
        vec![quote! {
            #[#library::cube]
            impl #impl_generics #name #ty_generics {
                #(#attributes)* #inline
                fn __bucket(#key, #(#fields),*) -> u32 #body
            }
        }]
    }

    fn bucket_fn(&self) -> Vec<TokenStream> {
        let library = &self.library;
        let Function { name, key, fields, .. } = self.function;
        let (impl_generics, ty_generics, _) = self.function.generics.split_for_impl();
        let (key, turbofish) = (&key.ty, ty_generics.as_turbofish());
        let arguments = fields.iter().map(Parameter::argument);
        vec![quote! {
            #[#library::cube]
            impl #impl_generics #library::BucketFn for #name #ty_generics {
                type Key = #key;
                #[inline]
                fn bucket(&self, key: #key) -> u32 {
                    #name #turbofish::__bucket(key, #(#arguments),*)
                }
            }
        }]
    }

    fn buckets(&self) -> Vec<TokenStream> {
        let Self { library, options, .. } = self;
        let Function { name, fields, .. } = self.function;
        let (impl_generics, ty_generics, _) = self.function.generics.split_for_impl();
        let buckets = &options.buckets;
        let counted = fields.iter().filter(|field| mentions(buckets.to_token_stream(), &field.name));
        let locals = counted.map(|field| {
            let (name, value) = (&field.name, field.argument());
            quote!(let #name = #value;)
        });
        let costly = options.costly.then(|| {
            quote!(
                fn is_costly(&self) -> bool {
                    true
                }
            )
        });
        let variants = fields.iter().map(|Parameter { name, ty, comptime, .. }| match comptime {
            true => quote!(#library::Hash::hash(&self.#name, &mut _hasher);),
            false => quote_spanned! {ty.span()=>
                #library::Hash::hash(&<#ty as #library::KernelField>::variant(&self.#name), &mut _hasher);
            },
        });
        let args = fields.iter().rev().fold(quote!(()), |rest, Parameter { name, ty, comptime, .. }| {
            let value = match comptime {
                true => quote!(#library::Clone::clone(&self.#name)),
                false => quote_spanned!(ty.span()=> <#ty as #library::KernelField>::arg(&self.#name, _upload)),
            };
            quote!((#value, #rest))
        });
        vec![quote! {
            impl #impl_generics #library::Buckets for #name #ty_generics {
                #[allow(unused_variables)]
                fn buckets(&self) -> u32 {
                    #(#locals)*
                    #buckets
                }

                #costly

                #[allow(clippy::all, clippy::pedantic)]
                fn kernel_variant(&self) -> u64 {
                    let mut _hasher = #library::VariantHasher::default();
                    #(#variants)*
                    #library::Hasher::finish(&_hasher)
                }

                #[allow(clippy::all, clippy::pedantic)]
                fn kernel_arg<__R: #library::Runtime>(
                    &self,
                    _upload: &#library::Upload<'_, __R>,
                ) -> <Self as #library::LaunchArg>::RuntimeArg<__R> {
                    #args
                }
            }
        }]
    }
}
