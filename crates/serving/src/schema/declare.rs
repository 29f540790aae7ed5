//! Declarations of messages, enumerations and choices.

/// Declares a message: a struct whose fields have the names and numbers of protobuf's. A choice among fields has no number.
macro_rules! message {
    (
        $(#[$doc:meta])* pub struct $name:ident {
            $($(#[$field_doc:meta])* $field:ident: $ty:ty $(= $number:literal)?,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name { $($(#[$field_doc])* pub $field: $ty,)* }

        impl $crate::schema::Value for $name {
            fn from_node(node: $crate::node::Node) -> Result<$name, $crate::error::ConfigParseError> {
                #[allow(unused_mut)] // a message may have no fields
                let mut message = $name::default();
                let fields: &mut [(&'static str, &mut dyn $crate::schema::Field)] =
                    &mut [$((stringify!($field), &mut message.$field),)*];
                $crate::schema::read_fields(stringify!($name), fields, node)?;
                Ok(message)
            }

            fn to_node(&self, form: $crate::schema::Form) -> $crate::node::Node {
                let fields: &[(&'static str, &dyn $crate::schema::Field)] =
                    &[$((stringify!($field), &self.$field),)*];
                let mut entries = vec![];
                fields.iter().for_each(|(name, field)| field.write(name, form, &mut entries));
                $crate::node::Node::new($crate::node::Kind::Message(entries))
            }

            fn to_wire(&self) -> $crate::schema::Wire {
                let fields: &[(u32, &dyn $crate::schema::Field)] =
                    &[$((0 $(+ $number)?, &self.$field),)*];
                $crate::schema::Wire::message(fields)
            }

            #[cfg(test)]
            fn leaves(path: &str, out: &mut Vec<String>) {
                let count = out.len();
                $(<$ty as $crate::schema::Field>::leaves(path, stringify!($field), out);)*
                if out.len() == count {
                    out.push(path.to_owned());
                }
            }
        }
    };
}

/// Declares an enumeration, its values numbered from 0; the first is the default.
macro_rules! enumeration {
    (
        $(#[$doc:meta])* pub enum $name:ident {
            $(#[$first_doc:meta])* $first:ident = $first_text:literal,
            $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name {
            $(#[$first_doc])* #[default] $first,
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// Every value, by number.
            pub const ALL: &'static [$name] = &[$name::$first, $($name::$variant,)*];

            const NAMES: &'static [&'static str] = &[$first_text, $($text,)*];

            /// The name in configurations.
            pub const fn name(self) -> &'static str {
                $name::NAMES[self as usize]
            }
        }

        impl $crate::schema::Value for $name {
            fn from_node(node: $crate::node::Node) -> Result<$name, $crate::error::ConfigParseError> {
                let number = $crate::schema::read_choice(stringify!($name), $name::NAMES, &node)?;
                Ok($name::ALL[number])
            }

            fn to_node(&self, _: $crate::schema::Form) -> $crate::node::Node {
                $crate::node::Node::new($crate::node::Kind::Word(self.name().to_owned()))
            }

            fn to_wire(&self) -> $crate::schema::Wire {
                $crate::schema::Wire::Varint(*self as u64)
            }
        }

        impl $crate::schema::Scalar for $name {}
    };
}

/// Declares a choice among fields; a message has at most one of them.
macro_rules! oneof {
    (
        $(#[$doc:meta])* pub enum $name:ident {
            $(#[$none_doc:meta])* $none:ident,
            $($(#[$variant_doc:meta])* $variant:ident($ty:ty) = ($field:literal, $number:literal),)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub enum $name {
            $(#[$none_doc])* #[default] $none,
            $($(#[$variant_doc])* $variant($ty),)*
        }

        impl $crate::schema::Field for $name {
            fn members(&self) -> Option<&'static [&'static str]> {
                Some(&[$($field,)*])
            }

            fn read(
                &mut self,
                name: &str,
                node: $crate::node::Node,
            ) -> Result<(), $crate::error::ConfigParseError> {
                match name {
                    $($field => *self = $name::$variant($crate::schema::Value::from_node(node)?),)*
                    _ => {}
                }
                Ok(())
            }

            fn write(
                &self,
                _: &'static str,
                form: $crate::schema::Form,
                out: &mut Vec<$crate::node::Entry>,
            ) {
                match self {
                    $name::$none => {}
                    $($name::$variant(value) => {
                        let value = $crate::schema::Value::to_node(value, form);
                        out.push($crate::schema::entry($field, value));
                    })*
                }
            }

            fn encode(&self, _: u32, out: &mut Vec<(u32, $crate::schema::Wire)>) {
                match self {
                    $name::$none => {}
                    $($name::$variant(value) => {
                        out.push(($number, $crate::schema::Value::to_wire(value)));
                    })*
                }
            }

            #[cfg(test)]
            fn leaves(parent: &str, _: &str, out: &mut Vec<String>) {
                $(<$ty as $crate::schema::Value>::leaves(
                    &$crate::effects::join(parent, $field),
                    out,
                );)*
            }
        }
    };
}

pub(crate) use {enumeration, message, oneof};
