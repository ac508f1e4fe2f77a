//! Reads JSON objects as Go does: field names match in any case. Existing extenders rely on this.

/// Defines a struct that is read from a JSON object with field names in any case. Unknown fields are ignored; a field
/// that is null or missing has its default. The caller gives each field's JSON name in lower case after the field's
/// type.
macro_rules! folded {
    ($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $field:ident: $type:ty = $key:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub(super) struct $name {
            $($(#[$what])* pub $field: $type,)*
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Fields;

                impl<'de> serde::de::Visitor<'de> for Fields {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("an object, ", stringify!($name)))
                    }

                    fn visit_unit<E>(self) -> Result<$name, E> {
                        Ok($name::default())
                    }

                    fn visit_map<M: serde::de::MapAccess<'de>>(self, mut map: M) -> Result<$name, M::Error> {
                        let mut read = $name::default();
                        while let Some(name) = map.next_key::<String>()? {
                            match name.to_ascii_lowercase().as_str() {
                                $($key => {
                                    read.$field = map.next_value::<Option<$type>>()?.unwrap_or_default();
                                })*
                                _ => {
                                    map.next_value::<serde::de::IgnoredAny>()?;
                                }
                            }
                        }
                        Ok(read)
                    }
                }

                deserializer.deserialize_any(Fields)
            }
        }
    };
}
pub(super) use folded;
