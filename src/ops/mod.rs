//! What operators ask and do, beside the Eureka API.
//!
//! | folder | what |
//! | --- | --- |
//! | `actuator` | Spring Boot's endpoints: health, loggers, refresh |

pub mod actuator;
