//! The lookup of the interfaces that a component exports, and of their functions in an instance.

/// Generates the interfaces of a version of the contract from the table. `wit` must be the module of the version's
/// bindings.
macro_rules! interfaces {
    ($($interface:literal $module:ident $flag:ident $role:ident {
        $($export:ident $name:literal $(= $method:ident($($parameter:ident: $type:ty),*) -> $answer:ty)?;)*
    })*) => {
        /// The indices of a component's exports. They are looked up once per component.
        #[derive(Clone)]
        pub(crate) struct Interfaces {
            plugin: wit::plugin::GuestIndices,
            snapshot: Option<wit::snapshot::GuestIndices>,
            objects: Option<wit::objects::GuestIndices>,
            $($module: Option<wit::$module::GuestIndices>,)*
        }

        /// The functions of one instance. `None` for an interface that the component does not export.
        pub(crate) struct LoadedInterfaces {
            pub plugin: wit::plugin::Guest,
            pub snapshot: Option<wit::snapshot::Guest>,
            pub objects: Option<wit::objects::Guest>,
            $(pub $module: Option<wit::$module::Guest>,)*
        }

        impl Interfaces {
            /// Looks up the exports.
            ///
            /// # Errors
            /// An interface lacks one of its functions.
            pub fn new<T>(
                component: &wasmtime::component::InstancePre<T>,
                exports: super::Exports,
            ) -> wasmtime::Result<Self> {
                use berth_core::plugins::ExtensionPoints;
                let super::Exports { points, snapshot, objects } = exports;
                Ok(Self {
                    plugin: wit::plugin::GuestIndices::new(component)?,
                    snapshot: snapshot.then(|| wit::snapshot::GuestIndices::new(component)).transpose()?,
                    objects: objects.then(|| wit::objects::GuestIndices::new(component)).transpose()?,
                    $($module: points
                        .contains(ExtensionPoints::$flag)
                        .then(|| wit::$module::GuestIndices::new(component))
                        .transpose()?,)*
                })
            }

            /// Loads the functions of an instance and checks their types.
            ///
            /// # Errors
            /// A function's type differs from the contract's.
            pub fn load(
                &self,
                mut store: impl wasmtime::AsContextMut,
                instance: &wasmtime::component::Instance,
            ) -> wasmtime::Result<LoadedInterfaces> {
                let mut store = store.as_context_mut();
                Ok(LoadedInterfaces {
                    plugin: self.plugin.load(&mut store, instance)?,
                    snapshot: self.snapshot.as_ref().map(|of| of.load(&mut store, instance)).transpose()?,
                    objects: self.objects.as_ref().map(|of| of.load(&mut store, instance)).transpose()?,
                    $($module: self.$module.as_ref().map(|of| of.load(&mut store, instance)).transpose()?,)*
                })
            }
        }
    };
}

pub(super) use interfaces;
