//! `pluginConfig[]`: plugin arguments, with a type for each kube-scheduler plugin that takes arguments.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};
use serde_json::{Value, json};

use super::{
    API_VERSION, DefaultPreemptionArgs, DynamicResourcesArgs, InterPodAffinityArgs, NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs, NodeResourcesFitArgs, PodTopologySpreadArgs, VolumeBindingArgs,
};

/// The arguments of a plugin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PluginConfig {
    /// The plugin's name.
    pub name: String,
    /// The arguments. Kubernetes defines the arguments of default plugins. Other plugins define their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<PluginArgs>,
}

/// An element of `pluginConfig[]` with untyped arguments.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Untyped {
    name: String,
    #[serde(default)]
    args: Option<Value>,
}

impl<'de> Deserialize<'de> for PluginConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Untyped { name, args } = Untyped::deserialize(deserializer)?;
        let args = args.map(|args| PluginArgs::read(&name, args)).transpose().map_err(D::Error::custom)?;
        Ok(Self { name, args })
    }
}

/// Declares the plugins with typed arguments.
macro_rules! plugin_args {
    ($($plugin:ident($args:ident)),+ $(,)?) => {
        /// Plugin arguments, by plugin.
        #[derive(Clone, Debug, PartialEq)]
        pub enum PluginArgs {
            $(
                #[doc = concat!("Arguments of ", stringify!($plugin), ".")]
                $plugin($args),
            )+
            /// Untyped arguments of any other plugin. The plugin checks these arguments.
            Other(Value),
        }

        impl PluginArgs {
            /// The names of the plugins with typed arguments.
            pub const TYPED: &'static [&'static str] = &[$(stringify!($plugin)),+];

            /// Returns the plugin's typed arguments with no field set, or `None` for a plugin without typed
            /// arguments.
            #[must_use]
            pub fn empty(plugin: &str) -> Option<Self> {
                match plugin {
                    $(stringify!($plugin) => Some(Self::$plugin($args::default())),)+
                    _ => None,
                }
            }

            /// Reads arguments as the type of the named plugin.
            ///
            /// # Errors
            /// Returns an error if the arguments don't match the type of the plugin's arguments.
            pub fn read(plugin: &str, args: Value) -> Result<Self, serde_json::Error> {
                match plugin {
                    $(stringify!($plugin) => Ok(Self::$plugin(serde_json::from_value(without_type(args))?)),)+
                    _ => Ok(Self::Other(args)),
                }
            }

            /// Returns the arguments as JSON, with only the fields that are set, as the plugin reads them.
            ///
            /// # Errors
            /// Fails only if serialization fails, which does not happen for these types.
            pub fn to_json(&self) -> Result<Value, serde_json::Error> {
                match self {
                    $(Self::$plugin(args) => serde_json::to_value(args),)+
                    Self::Other(args) => Ok(args.clone()),
                }
            }

            /// Returns the `kind` of typed arguments, or `None` for untyped arguments.
            #[must_use]
            pub const fn kind(&self) -> Option<&'static str> {
                match self {
                    $(Self::$plugin(_) => Some(stringify!($args)),)+
                    Self::Other(_) => None,
                }
            }
        }

        /// Returns a conditional schema of `pluginConfig[]` for each plugin with typed arguments.
        fn typed_schemas(generator: &mut SchemaGenerator) -> Vec<Value> {
            vec![$({
                let args = generator.subschema_for::<$args>();
                let (plugin, kind) = (stringify!($plugin), stringify!($args));
                if let Some(definition) = generator.definitions_mut().get_mut(kind) {
                    definition["properties"]["apiVersion"] = json!({ "const": API_VERSION });
                    definition["properties"]["kind"] = json!({ "const": kind });
                }
                json!({
                    "if": { "properties": { "name": { "const": plugin } } },
                    "then": { "properties": { "args": args } },
                })
            }),+]
        }
    };
}

plugin_args! {
    DefaultPreemption(DefaultPreemptionArgs),
    DynamicResources(DynamicResourcesArgs),
    InterPodAffinity(InterPodAffinityArgs),
    NodeAffinity(NodeAffinityArgs),
    NodeResourcesBalancedAllocation(NodeResourcesBalancedAllocationArgs),
    NodeResourcesFit(NodeResourcesFitArgs),
    PodTopologySpread(PodTopologySpreadArgs),
    VolumeBinding(VolumeBindingArgs),
}

/// Removes `apiVersion` and `kind`, which typed arguments may contain.
fn without_type(mut args: Value) -> Value {
    if let Some(object) = args.as_object_mut() {
        object.remove("apiVersion");
        object.remove("kind");
    }
    args
}

/// Writes typed arguments with `apiVersion` and `kind`, as Kubernetes does.
impl Serialize for PluginArgs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut json = self.to_json().map_err(ser::Error::custom)?;
        if let (Some(kind), Some(object)) = (self.kind(), json.as_object_mut()) {
            object.insert("apiVersion".to_owned(), API_VERSION.into());
            object.insert("kind".to_owned(), kind.into());
        }
        json.serialize(serializer)
    }
}

/// The schema of `args` depends on `name`.
impl JsonSchema for PluginConfig {
    fn schema_name() -> Cow<'static, str> {
        "PluginConfig".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A plugin's arguments.",
            "type": "object",
            "properties": {
                "name": { "description": "The plugin's name.", "type": "string", "minLength": 1 },
                "args": {
                    "description": "The arguments. Kubernetes defines the arguments of default plugins. Other plugins define \
                                    their own.",
                    "type": "object",
                },
            },
            "required": ["name"],
            "additionalProperties": false,
            "allOf": typed_schemas(generator),
        })
    }
}
